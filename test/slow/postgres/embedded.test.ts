import { test } from 'vitest';
import { expectNothingLeft } from '../../support/embedded.ts';

test.concurrent.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'an embedded PostgreSQL leaves neither a server nor a directory if its parent ends by %s',
  expectNothingLeft,
);
