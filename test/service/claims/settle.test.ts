import { DrizzleQueryError } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { nothingRan } from '../../../src/platform/db/sqlstate.ts';
import { settle } from '../../../src/service/claims/settle.ts';

const failure = (code: string) => Object.assign(new Error('hunter2'), { code });
const outcomeOf = async (error: unknown) => (await settle(Promise.reject(error))).kind;

test.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'CONNECT_TIMEOUT', '53300', '55P03'])(
  'the error %s gives the outcome `busy`, because nothing was claimed',
  async (code) => {
    expect(await outcomeOf(failure(code))).toBe('busy');
    expect(await outcomeOf(new DrizzleQueryError('insert', [], failure(code)))).toBe('busy');
  },
);

test.each(['ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'CONNECTION_CLOSED', '57P01'])(
  'the error %s gives the outcome `unknown` in the middle of a claim, and `busy` before BEGIN',
  async (code) => {
    expect(await outcomeOf(failure(code))).toBe('unknown');
    expect(await outcomeOf(nothingRan(failure(code)))).toBe('busy');
  },
);

test('an unexpected error gives no outcome, but is thrown', async () => {
  await expect(outcomeOf(failure('42703'))).rejects.toThrow('hunter2');
});
