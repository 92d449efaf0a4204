import type { SyllabusEntry, ToldChapter } from '../api.ts';
import { Choice, capitalised, groupsOf } from '../choose.tsx';
import { Goal } from '../lessons/goal.tsx';
import { seenInRace } from '../lessons/seen.ts';
import { Maps } from '../map/maps.tsx';
import { addressOf, chapterOf, entryAt, type PartProps } from '../part.ts';
import { HOME } from '../place.ts';
import { Before } from './before.tsx';
import { Rounds } from './rounds.tsx';
import { Totals } from './totals.tsx';
import { type Racing, useRace } from './use-race.ts';

const MOST_RECRUITERS = 50;
const MOST_ROUNDS = 20;

/** Races sessions at full speed. PostgreSQL and chance decide the order. */
export function Race(props: PartProps) {
  const { place, go, strategies, chapters } = props;
  const [racing, start] = useRace();
  const { strategy, beside, recruiters, rounds } = place;
  const entry = entryAt(strategies, strategy);
  const chapter = chapterOf({ chapters }, entry);
  const others = strategies.filter((each) => each.chapter === chapter.name);
  const rival = entryAt(others, beside) ?? rivalIn(others, entryAt(strategies, beside));
  const { session, faults, race } = chapter;
  const chosen = [entry ? addressOf(entry) : strategy, rival ? addressOf(rival) : beside];
  const field = [...new Set(chosen.filter((address) => address !== ''))];
  return (
    <>
      <h2>Race</h2>
      <Goal {...props} seen={seenInRace(racing, place)} />
      <p class="lead">
        {recruiters} {session.many} begin at the same moment, at full speed
        {race.kind === 'crashes' ? (
          <Crashes chapter={chapter} />
        ) : (
          <Requests chapter={chapter} recruiters={recruiters} />
        )}
      </p>
      <form
        class="toolbar"
        onSubmit={(event: Event) => {
          event.preventDefault();
          start({ strategies: field, recruiters, capacity: race.capacity, rounds });
        }}
      >
        <Choice
          label="Strategy"
          value={chosen[0] ?? ''}
          groups={groupsOf(strategies, chapters)}
          onChoose={(strategy) => go({ strategy })}
        />
        <Choice
          label="Compare with"
          value={chosen[1] ?? ''}
          groups={[{ label: '', options: [['', 'nothing']] }, ...groupsOf(others, [chapter])]}
          onChoose={(beside) => go({ beside })}
        />
        <Count
          label={capitalised(session.many)}
          value={recruiters}
          most={MOST_RECRUITERS}
          onCount={(recruiters) => go({ recruiters })}
        />
        <Count
          label="Rounds"
          value={rounds}
          most={MOST_ROUNDS}
          onCount={(rounds) => go({ rounds })}
        />
        <button class="primary" type="submit">
          Race
        </button>
      </form>
      <p role="status">{racing ? inWords(racing) : ''}</p>
      {!racing && <Before session={session} race={race} />}
      {racing?.failure && <p role="alert">{racing.failure}</p>}
      {racing && racing.rounds.length > 0 && <Rounds rounds={racing.rounds} race={race} />}
      {racing?.told && (
        <Totals
          told={racing.told}
          gravest={faults[0]?.name ?? ''}
          race={race}
          rounds={racing.rounds.length / racing.told.results.length}
        />
      )}
      {racing?.told && (
        <Maps
          {...props}
          key={field.join()}
          places={field.map((strategy) => ({ ...HOME, lesson: place.lesson, strategy }))}
          heading="h3"
        />
      )}
    </>
  );
}

interface LeadProps {
  chapter: ToldChapter;
}

const Requests = ({ chapter: { race }, recruiters }: LeadProps & { recruiters: number }) => (
  <>
    , and {Math.min(recruiters, race.capacity)} of them can succeed. Each round begins with new
    rows. At the end of a round we count the rows in the tables.
  </>
);

const Crashes = ({ chapter: { race, afterwards } }: LeadProps) => (
  <>
    , with {race.capacity} {race.of}. Chance kills some of the processes.
    {afterwards && ` Afterwards ${afterwards}.`} At the end of a round we count what was done.
  </>
);

/**
 * Returns the rival if the second strategy of the address is in another chapter. Then the rival is
 * the strategy `production` of this chapter.
 */
const rivalIn = (others: readonly SyllabusEntry[], elsewhere: SyllabusEntry | undefined) =>
  elsewhere && others.find(({ name }) => name === 'production');

function inWords({ place, of, rounds, told, failure }: Racing): string {
  if (failure) return '';
  if (told) return told.sentences.join(' ');
  if (place > 0) return `Somebody else races. You are number ${place} in line.`;
  return rounds.length === 0 ? 'The race begins.' : `${rounds.length} of ${of} rounds`;
}

interface CountProps {
  label: string;
  value: number;
  most: number;
  onCount: (count: number) => void;
}

/** Shows a field for a number from 1 to `most`. */
const Count = ({ label, value, most, onCount }: CountProps) => (
  <label class="choice">
    {label}
    <input
      type="number"
      min={1}
      max={most}
      value={value}
      onChange={({ target }: Event) => onCount(Number((target as HTMLInputElement).value))}
    />
  </label>
);
