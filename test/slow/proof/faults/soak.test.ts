import { expect, onTestFinished, test } from 'vitest';
import { seededDice } from '../../../../proof/faults/dice.ts';
import { askOddly } from '../../../../proof/faults/soak/odd-callers.ts';
import { RawClient } from '../../../../proof/faults/soak/raw.ts';
import { makeService } from '../../../support/app.ts';
import { makeDatabase } from '../../../support/database.ts';

test('odd requests get the expected answers', async () => {
  const { url } = await makeService(await makeDatabase());
  const client = new RawClient(url);
  onTestFinished(() => client.close());
  const names = new Set<string>();
  const unexpected: string[] = [];
  const expectAnswer = (name: string, to: string, answers: string[]) => {
    names.add(name);
    if (!answers.some((each) => name.startsWith(each))) unexpected.push(`${to}: ${name}`);
  };
  const dice = seededDice('odd');
  for (let n = 0; n < 400; n++) await askOddly(client, dice, expectAnswer);
  expect(unexpected).toEqual([]);
  // The dice sometimes choose requests with these answers, so each answer must have come.
  for (const name of ['200', '304 no problem document', '413 body-too-large', '422 key-reused'])
    expect([...names]).toContain(name);
});
