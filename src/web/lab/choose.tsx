import type { PartProps } from './part.ts';

/** What is looked at: a strategy, a situation and how many recruiters. Another one begins anew. */
export function Choose({ place, go, strategies }: PartProps) {
  const entry = strategies.find(({ name }) => name === place.strategy);
  const [first] = strategies;
  const settings = (entry ?? first)?.settings ?? [];
  return (
    <div class="choose">
      <Choice
        label="Strategy"
        value={place.strategy}
        options={strategies.map(({ name }) => [name, name])}
        onChoose={(strategy) => go({ strategy, schedule: [] })}
      />
      <Choice
        label="Situation"
        value={place.scenario}
        options={settings.map(({ name, idea }) => [name, idea])}
        onChoose={(scenario) => go({ scenario, schedule: [] })}
      />
      <Choice
        label="Recruiters"
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

interface ChoiceProps {
  label: string;
  value: string;
  /** Values and what is shown for them. */
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
