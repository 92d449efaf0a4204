import { addressOf, chapterOf, entryAt, type PartProps, situationAt } from './part.ts';
import { firstSituation } from './play/question.ts';
import { isRecorded } from './site/recorded.ts';

/**
 * Shows fields for a strategy, a situation and the number of sessions. Each choice empties the
 * schedule. In some situations, and in recordings, the number of sessions is fixed.
 */
export function Choose({ place, go, strategies, chapters }: PartProps) {
  const entry = entryAt(strategies, place.strategy);
  const { session } = chapterOf({ chapters }, entry);
  const situations = entry?.situations ?? [];
  const chosen = situationAt(entry, place);
  const firstIn = (strategy: string) => firstSituation(entryAt(strategies, strategy));
  return (
    <div class="choose">
      <Choice
        label="Strategy"
        value={entry ? addressOf(entry) : place.strategy}
        groups={groupsOf(strategies, chapters)}
        onChoose={(strategy) => go({ strategy, situation: firstIn(strategy), schedule: [] })}
      />
      <Choice
        label="Situation"
        value={place.situation || (situations[0]?.name ?? '')}
        groups={[{ label: '', options: situations.map(({ name, idea }) => [name, idea]) }]}
        onChoose={(situation) => go({ situation, schedule: [] })}
      />
      {chosen?.sessions === undefined && !isRecorded() && (
        <Choice
          label={capitalised(session.many)}
          value={String(place.sessions)}
          groups={[
            {
              label: '',
              options: [
                ['2', 'two'],
                ['3', 'three'],
              ],
            },
          ]}
          onChoose={(sessions) => go({ sessions: Number(sessions), schedule: [] })}
        />
      )}
    </div>
  );
}

/** Returns all strategies that the server can run as options, with a group for each chapter. */
export const groupsOf = (
  strategies: PartProps['strategies'],
  chapters: PartProps['chapters'],
): Group[] =>
  chapters.map(({ name: label }) => ({
    // A single chapter needs no label.
    label: chapters.length === 1 ? '' : label,
    options: strategies
      .filter(({ chapter, missing }) => chapter === label && missing === null)
      .map((each) => [addressOf(each), each.name]),
  }));

export const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Options that belong together: values, and their labels. */
export interface Group {
  /** Empty for options that stand alone. */
  label: string;
  options: [string, string][];
}

interface ChoiceProps {
  label: string;
  value: string;
  groups: Group[];
  onChoose: (value: string) => void;
}

export function Choice({ label, value, groups, onChoose }: ChoiceProps) {
  const isKnown = groups.some(({ options }) => options.some(([known]) => known === value));
  return (
    <label class="choice">
      {label}
      <select
        value={value}
        onChange={({ target }: Event) => onChoose((target as HTMLSelectElement).value)}
      >
        {!isKnown && <option value={value}>{value}</option>}
        {groups.map(({ label, options }) =>
          label === '' ? (
            <Options options={options} value={value} />
          ) : (
            <optgroup key={label} label={label}>
              <Options options={options} value={value} />
            </optgroup>
          ),
        )}
      </select>
    </label>
  );
}

const Options = ({ options, value }: { options: Group['options']; value: string }) => (
  <>
    {options.map(([known, shown]) => (
      <option key={known} value={known} selected={known === value}>
        {shown}
      </option>
    ))}
  </>
);
