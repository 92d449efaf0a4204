import { expect, onTestFinished, test, vi } from 'vitest';
import { Ledger } from '../../src/faults/ledger.ts';
import { Load, NoAnswers } from '../../src/faults/load.ts';

test('a wait for answers that do not come has an end', async () => {
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
