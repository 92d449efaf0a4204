import type { ToldLesson } from '../api.ts';
import { isHeldIn, usePace } from '../pace.tsx';
import { scripts } from '../sql/scripts.ts';
import { type LessonProgress, useProgress } from './progress.ts';

/** Saves the visitor's votes and scripts as one HTML file. Shows nothing before the first vote. */
export function Keep({ lessons }: { lessons: readonly ToldLesson[] }) {
  const progressIn = useProgress();
  const pace = usePace();
  const begun = lessons.filter(({ number }) => progressIn(number).prediction !== undefined);
  if (begun.length === 0) return null;
  const parts = begun.map((lesson) =>
    partOf(lesson, progressIn(lesson.number), isHeldIn(pace, lesson.number)),
  );
  const page = pageOf(parts);
  return (
    <p class="row">
      <a
        class="button"
        download="my-lessons.html"
        href={`data:text/html;charset=utf-8,${encodeURIComponent(page)}`}
      >
        Save what you have done as a page
      </a>
    </p>
  );
}

/** Makes a page of the lessons with the visitor's votes and scripts. It needs no other file. */
function pageOf(parts: readonly string[]) {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>My lessons on locking</title>
<style>
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
pre { overflow-x: auto; padding: 1rem; background: #8882; }
</style>
<h1>My lessons on locking</h1>
${parts.join('\n')}
</html>
`;
}

function partOf(
  { number, title, question, whatYouSaw, sql }: ToldLesson,
  { prediction, secondVote, step }: LessonProgress,
  isHeld: boolean,
): string {
  const script = scripts.get()[number];
  const hasSeen = !isHeld && (step === 'understand' || step === 'done');
  const lines = [
    `<h2>${number}. ${escaped(title)}</h2>`,
    paragraphs(question.text),
    `<p>My vote: ${escaped(choiceOf(question, prediction))}</p>`,
    secondVote ? `<p>My second vote: ${escaped(choiceOf(question, secondVote))}</p>` : '',
    hasSeen ? `<p>The answer: ${escaped(choiceOf(question, question.answer))}</p>` : '',
    hasSeen ? paragraphs(whatYouSaw) : '',
    script !== undefined && script !== sql ? `<pre>${escaped(script)}</pre>` : '',
  ];
  return lines.filter(Boolean).join('\n');
}

/** Returns a choice with its letter, such as `B. The statement waits.` */
function choiceOf({ choices }: ToldLesson['question'], letter = ''): string {
  const text = choices.find((each) => each.letter === letter)?.text ?? '';
  return `${letter}. ${plain(text)}`;
}

const paragraphs = (text: string): string =>
  text
    .split(/\n\s*\n/)
    .map((each) => `<p>${escaped(plain(each))}</p>`)
    .join('\n');

/** Returns a text of a lesson without the marks of Markdown. */
const plain = (text: string): string =>
  text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
