import type { ToldStudent } from './api.ts';

const words = {
  away: 'has no page of the lab open',
  stuck: 'has reported nothing for three minutes',
  repeats: 'gives the same wrong answer again',
} as const satisfies Record<NonNullable<ToldStudent['trouble']>, string>;

/** Lists the students who may need help. */
export function NeedHelp({ students }: { students: readonly ToldStudent[] }) {
  const inTrouble = students.filter(({ trouble }) => trouble !== null);
  if (inTrouble.length === 0) return null;
  return (
    <section class="card" aria-labelledby="need-help">
      <h2 id="need-help">Who needs help</h2>
      <ul class="need-help">
        {inTrouble.map(({ number, name, lesson, trouble }) => (
          <li key={number} class={trouble ?? ''}>
            <bdi class="name">{name}</bdi> {trouble && words[trouble]}
            {lesson !== null && `, in lesson ${lesson}`}
          </li>
        ))}
      </ul>
    </section>
  );
}
