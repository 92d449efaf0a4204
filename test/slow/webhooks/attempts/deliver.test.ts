import { expect, test, vi } from 'vitest';
import { answering, makeWorld, resendTwice, soon } from '../../../support/delivering.ts';

test('a resend since a time ends with its last batch, also after a resend that a disabled endpoint has ended', async () => {
  const world = await makeWorld();
  const { ask, batches, hanging } = await resendTwice(world);
  world.receiver.answer = answering(200);
  for (const answer of hanging) answer.end();
  // The first resend made two batches. The second resend makes three.
  await vi.waitFor(
    async () => {
      await world.hasten();
      expect(await batches()).toEqual(Array(5).fill({ ended: 'done' }));
    },
    { timeout: 50_000 },
  );
  await soon(async () => expect((await ask()).status).toBe(202));
});
