import { expect, test } from 'vitest';
import { chapters } from '../../../src/lab/chapters/index.ts';
import { askedFault, firstSituation } from '../../../src/lab/pages/play/question.ts';
import { readSyllabus } from '../../../src/lab/syllabus/syllabus.ts';

const entries = readSyllabus();

/** Returns the question that Play asks about a strategy, in the situation that Play shows first. */
function questionOf(address: string): string {
  const [chapterName, name] = address.split('/');
  const chapter = chapters.find((each) => each.name === chapterName);
  const entry = entries.find((each) => each.chapter === chapterName && each.name === name);
  if (!chapter || !entry) throw new Error(`there is no strategy ${address}`);
  const first = firstSituation(entry) || entry.situations[0]?.name;
  return askedFault(
    chapter,
    entry.situations.find((each) => each.name === first),
  ).dare;
}

test.each([
  ['claims/naive', 'Can you oversell it?'],
  ['claims/row-lock', 'Can you oversell it?'],
  ['claims/insert-then-lock', 'Can you make it deadlock?'],
  ['claims/skip-locked', 'Can you turn somebody away though a slot is free?'],
  ['queue/skip-locked', 'Can you leave the task unfinished for ever?'],
  ['queue/delete-on-claim', 'Can you lose the task?'],
  ['queue/lease', 'Can you make it send a mail twice?'],
  ['queue/outbox', 'Can you make it send a mail twice?'],
  ['queue/lease-by-name', 'Can you write one outcome over another?'],
  ['retries/status', 'Can you charge the client twice?'],
  ['retries/production', 'Can you charge the client twice?'],
  ['retries/insert-first', 'Can you make sure that the request is never done?'],
])('about %s, Play asks: %s', (address, question) => {
  expect(questionOf(address)).toBe(question);
});

test('each question about a strategy that holds is also asked about a strategy that breaks', () => {
  const of = (holds: boolean) =>
    entries
      .filter(({ verdict }) => (verdict === 'holds') === holds)
      .map(({ chapter, name }) => `${chapter}: ${questionOf(`${chapter}/${name}`)}`);
  expect([...new Set(of(false))]).toEqual(expect.arrayContaining([...new Set(of(true))]));
});

test('the fault that people suspect in a situation is a fault of its chapter', () => {
  for (const { faults, strategies, situationsOf } of chapters)
    for (const { suspect } of strategies.flatMap((each) => [...situationsOf(each)]))
      if (suspect) expect(faults.map(({ name }) => name)).toContain(suspect);
});
