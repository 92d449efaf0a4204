import type { ToldLesson, ToldRoom } from './api.ts';

interface WhatWasSeenProps {
  lessons: readonly ToldLesson[];
  room: ToldRoom;
}

interface Row {
  lesson: string;
  title: string;
  opened: number;
  first: string;
  second: string;
  solved: number;
  understood: number;
}

const HEAD: Record<keyof Row, string> = {
  lesson: 'Lesson',
  title: 'Title',
  opened: 'Opened',
  first: 'Right at first',
  second: 'Right in the second vote',
  solved: 'Solved in SQL',
  understood: 'Read the answer',
};
const COLUMNS = Object.keys(HEAD) as (keyof Row)[];

/** Shows what the class has seen, lesson by lesson. The table has no names, and can be saved. */
export function WhatWasSeen({ lessons, room }: WhatWasSeenProps) {
  const rows = rowsOf(lessons, room);
  if (rows.length === 0) return null;
  const file = `data:text/csv;charset=utf-8,${encodeURIComponent(csvOf(rows))}`;
  return (
    <section class="card" aria-labelledby="what-was-seen">
      <h2 id="what-was-seen">What the class has seen</h2>
      <section class="scroll" tabindex={0} aria-label="Table of the lessons">
        <table class="seen">
          <thead>
            <tr>
              {COLUMNS.map((column) => (
                <th key={column} scope="col">
                  {HEAD[column]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.lesson}>
                {COLUMNS.map((column) =>
                  column === 'lesson' ? (
                    <th key={column} scope="row">
                      {row.lesson}
                    </th>
                  ) : (
                    <td key={column}>{row[column]}</td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p class="row">
        <a class="button" download="class.csv" href={file}>
          Save as CSV
        </a>
        <button type="button" onClick={() => print()}>
          Print this page
        </button>
      </p>
      <p>The room keeps nothing after its end. So save the table before you end the room.</p>
    </section>
  );
}

const rowsOf = (lessons: readonly ToldLesson[], room: ToldRoom): Row[] =>
  lessons.flatMap(({ number, title, answer }) => {
    const seen = room.seen[number];
    if (!seen) return [];
    const { opened, solved, understood } = seen;
    const first = shareOf(room.predictions[number], answer);
    const second = shareOf(room.secondVotes[number], answer);
    return [{ lesson: String(number), title, opened, first, second, solved, understood }];
  });

/** Returns how many votes are right, such as `12 of 30`. Empty without a vote. */
function shareOf(votes: Record<string, number> | undefined, answer: string): string {
  const all = Object.values(votes ?? {}).reduce((sum, count) => sum + count, 0);
  return all === 0 ? '' : `${votes?.[answer] ?? 0} of ${all}`;
}

/** Returns the rows as CSV. RFC 4180 asks for CRLF, and for quotes around commas and quotes. */
const csvOf = (rows: readonly Row[]): string =>
  [
    COLUMNS.map((column) => HEAD[column]),
    ...rows.map((row) => COLUMNS.map((column) => row[column])),
  ]
    .map((cells) => cells.map(cellOf).join(','))
    .join('\r\n');

const cellOf = (cell: string | number): string => {
  const text = String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
