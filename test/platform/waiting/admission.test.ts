import { expect, test, vi } from 'vitest';
import { Admission } from '../../../src/platform/waiting/admission.ts';

const LIMITS = { places: 1, longest: 1, waitMs: 60_000, answerMs: 60_000 };

/** Work that runs until the test ends it or makes it fail. */
function makeWork() {
  let end = () => {};
  let fail = (_: Error) => {};
  const ended = new Promise<string>((resolve, reject) => {
    end = () => resolve('ended');
    fail = reject;
  });
  return { work: () => ended, end, fail };
}

function makeAdmission(limits: Partial<typeof LIMITS> = {}) {
  const errors: unknown[] = [];
  const admission = new Admission({ ...LIMITS, ...limits }, (error) => errors.push(error));
  return { admission, errors };
}

test('work runs, and the caller gets its result or error', async () => {
  const { admission, errors } = makeAdmission();
  expect(await admission.run(async () => 'done')).toBe('done');
  await expect(admission.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(errors).toEqual([]);
});

test('after work has failed, even before its first await, the next work runs', async () => {
  const { admission } = makeAdmission();
  const { work, fail } = makeWork();
  const failing = admission.run(work);
  const next = admission.run(() => {
    throw new Error('at once');
  });
  fail(new Error('no'));
  await expect(failing).rejects.toThrow('no');
  await expect(next).rejects.toThrow('at once');
  expect(await admission.run(async () => 'done')).toBe('done');
});

test('if the line is full, work is refused as busy', async () => {
  const { admission } = makeAdmission();
  const { work, end } = makeWork();
  const running = admission.run(work);
  const waiting = admission.run(async () => 'waited');
  const run = vi.fn(async () => 'done');
  expect(await admission.run(run)).toEqual({ kind: 'busy' });
  expect(run).not.toHaveBeenCalled();
  end();
  expect(await Promise.all([running, waiting])).toEqual(['ended', 'waited']);
});

test('work that gets no place in time is refused as busy', async () => {
  const { admission } = makeAdmission({ waitMs: 1 });
  const { work, end } = makeWork();
  const running = admission.run(work);
  const run = vi.fn(async () => 'done');
  expect(await admission.run(run)).toEqual({ kind: 'busy' });
  end();
  await running;
  expect(run).not.toHaveBeenCalled();
});

test('late work is answered as unknown, and keeps its place until it ends', async () => {
  const { admission, errors } = makeAdmission({ answerMs: 1 });
  const { work, end } = makeWork();
  expect(await admission.run(work)).toEqual({ kind: 'unknown' });
  const waiting = admission.run(async () => 'done');
  const isDone = vi.fn();
  void waiting.then(isDone);
  expect(await admission.run(work)).toEqual({ kind: 'busy' });
  expect(isDone).not.toHaveBeenCalled();
  end();
  expect(await waiting).toBe('done');
  expect(errors).toEqual([]);
});

test('an error after the answer goes to the log, and the place is free again', async () => {
  const { admission, errors } = makeAdmission({ answerMs: 1 });
  const { work, fail } = makeWork();
  expect(await admission.run(work)).toEqual({ kind: 'unknown' });
  fail(new Error('too late'));
  await vi.waitFor(() => expect(errors).toEqual([new Error('too late')]));
  expect(await admission.run(async () => 'done')).toBe('done');
});
