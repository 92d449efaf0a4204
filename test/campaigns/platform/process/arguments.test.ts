import { describe, test } from 'vitest';
import { HAS_PROC } from '../../../../src/platform/process/process-table.ts';
import { COMMANDS, expectNoSecret } from '../../../support/secret-arguments.ts';

const { matrix, ...others } = COMMANDS;

describe.runIf(HAS_PROC)(
  'no process has a secret in its arguments, because all users can read arguments',
  () => {
    test.each(Object.entries(others))('%s', async (_, begin) => expectNoSecret(await begin()));

    test('matrix', { tags: ['redis', 'etcd'] }, async () => expectNoSecret(await matrix()));
  },
);
