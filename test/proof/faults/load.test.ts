import { expect, onTestFinished, test, vi } from 'vitest';
import { Ledger } from '../../../proof/faults/ledger.ts';
import { Load, NoAnswers } from '../../../proof/faults/load.ts';

test('a wait for answers fails if too few answers come within 60 s', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const load = new Load({ urls: [], ledger: new Ledger(), now: Date.now });
  load.count('200');
  const passed = load.pass(2, new AbortController().signal);
  const told = expect(passed).rejects.toThrow(
    new NoAnswers('1 of 2 requests were granted or refused within 60000 ms'),
  );
  load.count('403 job-full');
  load.count('503 busy');
  await vi.advanceTimersByTimeAsync(60_000);
  await told;
});
