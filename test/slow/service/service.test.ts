import { test } from 'vitest';
import { runServer } from '../../support/command.ts';
import { expectEndOfWait } from '../../support/server.ts';

test('a start that waits for a locked table ends the server on SIGTERM without a word, and the name of the worker is free', () =>
  expectEndOfWait(runServer, 'installation', /Workers: "ada"/));
