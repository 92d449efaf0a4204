import { expect, test } from 'vitest';
import { WrongAnswers } from '../../../src/lab/classroom/wrong-answers.ts';

const answer = (result: string, text = 'select 1', lesson = 4) => ({
  ...{ lesson, result, text },
  says: 'It falls.',
  shown: null,
});

test('wrong answers are grouped by their result, the most frequent first', () => {
  const answers = new WrongAnswers();
  answers.note(1, answer('oversold'));
  answers.note(2, answer('deadlock'));
  answers.note(3, answer('deadlock', 'select 2'));
  answers.note(3, answer('deadlock', 'select 3'));
  answers.note(1, answer('oversold', 'select 1', 5));
  expect(answers.of(4)).toMatchObject([
    { result: 'deadlock', students: 2, text: 'select 1' },
    { result: 'oversold', students: 1 },
  ]);
  expect(answers.counts()).toEqual({ 4: { oversold: 1, deadlock: 2 }, 5: { oversold: 1 } });
  expect(answers.of(6)).toEqual([]);
});

test('a lesson keeps at most twelve results, and other lessons still have room', () => {
  const answers = new WrongAnswers();
  for (let number = 0; number < 20; number++) answers.note(1, answer(`fault ${number}`));
  answers.note(2, answer('fault 0'));
  answers.note(1, answer('oversold', 'select 1', 5));
  expect(answers.of(4)).toHaveLength(12);
  expect(answers.of(4)[0]).toMatchObject({ result: 'fault 0', students: 2 });
  expect(answers.of(5)).toHaveLength(1);
});

test('a removed student takes the answers along that nobody else gave', () => {
  const answers = new WrongAnswers();
  answers.note(1, answer('oversold'));
  answers.note(1, answer('deadlock'));
  answers.note(2, answer('deadlock', 'select 2'));
  answers.forget(1);
  expect(answers.of(4)).toMatchObject([{ result: 'deadlock', students: 1 }]);
});
