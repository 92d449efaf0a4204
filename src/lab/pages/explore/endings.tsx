import type { ToldChapter, ToldSchedule } from '../api.ts';

interface EndingsProps {
  told: ToldSchedule;
  /** The faults of the chapter, with their words. */
  faults: Pick<ToldChapter['faults'][number], 'name' | 'inWords'>[];
}

/** Shows the end of each session, the state of the tables, and the faults in words. */
export const Endings = ({ told, faults }: EndingsProps) => {
  const found = faults.filter(({ name }) => told.faults.includes(name));
  return (
    <div class="endings">
      <p>
        {told.endings.map((ending, index) => (
          <span key={index} class={`ending s${index + 1}`}>
            <b>S{index + 1}</b> {ending ?? 'never ended'}
          </span>
        ))}
        {told.afterwards !== null && (
          <span class="ending">
            <b>Afterwards</b> {told.afterwards}
          </span>
        )}
      </p>
      <p class={told.faults.length > 0 ? 'bad' : 'good'}>
        {told.summary}
        {found.length > 0 && (
          <>
            : <b>{found.map(({ inWords }) => inWords).join(', ')}</b>
          </>
        )}
      </p>
    </div>
  );
};
