import { addressOf, chapterOf, entryAt, type PartProps } from './part.ts';

/** Chooses a strategy, a situation and the number of sessions. Each choice empties the schedule. */
export function Choose({ place, go, strategies, chapters }: PartProps) {
  const entry = entryAt(strategies, place.strategy);
  const { session } = chapterOf({ chapters }, entry);
  const situations = entry?.situations ?? [];
  return (
    <div class="choose">
      <Choice
        label="Strategy"
        value={entry ? addressOf(entry) : place.strategy}
        options={optionsOf(strategies, chapters)}
        onChoose={(strategy) => go({ strategy, situation: '', schedule: [] })}
      />
      <Choice
        label="Situation"
        value={place.situation || (situations[0]?.name ?? '')}
        options={situations.map(({ name, idea }) => [name, idea])}
        onChoose={(situation) => go({ situation, schedule: [] })}
      />
      <Choice
        label={capitalised(session.many)}
        value={String(place.sessions)}
        options={[
          ['2', 'two'],
          ['3', 'three'],
        ]}
        onChoose={(sessions) => go({ sessions: Number(sessions), schedule: [] })}
      />
    </div>
  );
}

/** All strategies as options. If there is only one chapter, names alone are enough. */
export const optionsOf = (
  strategies: PartProps['strategies'],
  chapters: PartProps['chapters'],
): [string, string][] =>
  strategies.map((each) => [addressOf(each), chapters.length === 1 ? each.name : addressOf(each)]);

export const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

interface ChoiceProps {
  label: string;
  value: string;
  /** Values, and their labels. */
  options: [string, string][];
  onChoose: (value: string) => void;
}

export function Choice({ label, value, options, onChoose }: ChoiceProps) {
  const isKnown = options.some(([known]) => known === value);
  return (
    <label class="choice">
      {label}
      <select
        value={value}
        onChange={({ target }: Event) => onChoose((target as HTMLSelectElement).value)}
      >
        {!isKnown && <option value={value}>{value}</option>}
        {options.map(([known, shown]) => (
          <option key={known} value={known} selected={known === value}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
}
