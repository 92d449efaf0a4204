import { expect, inject, test } from 'vitest';
import { runSource } from '../../support/command.ts';

const demo = () =>
  runSource('scripts/demo-webhooks.ts', [], { DATABASE_URL: inject('scratchUrl') });

test.concurrent('the webhook demo shows a failed attempt, a repeat with the same id, and a dropped repeat', async () => {
  const { ended, stdout, stderr } = demo();
  expect(await ended, stderr()).toEqual({ code: 0, signal: null });
  const said = stdout();
  expect(said).toContain('the attempt failed: The host cannot be reached.');
  const [, id = ''] = /the id of the message: (msg_\S+)/.exec(said) ?? [];
  expect(said).toMatch(new RegExp(`receiver: claim\\.created: .* event 2, .* \\(${id}\\)`));
  expect(said).toContain(`receiver: Repeat, dropped (${id})`);
  expect(said).toMatch(new RegExp(`claim\\.created +${id} +3 +delivered`));
  for (const type of ['claim.created', 'claim.released', 'job.full', 'job.open'])
    expect(said).toContain(`receiver: ${type}: `);
  expect(said.match(/1 +delivered/g)).toHaveLength(6);
});

test.concurrent('Ctrl-C ends the webhook demo immediately', async () => {
  const { child, says, ended, stderr } = demo();
  await says(/the attempt failed/);
  child.kill('SIGINT');
  expect(await ended).toEqual({ code: 130, signal: null });
  expect(stderr()).not.toMatch(/error/i);
});
