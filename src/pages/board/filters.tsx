import { useRef, useState } from 'hono/jsx/dom';
import type { Filter } from '../parts/jobs/jobs.ts';
import { LONGEST_SEARCH } from '../parts/search.ts';
import { useEffect } from '../parts/use-effect.ts';

/**
 * The page searches after a pause of this length. During a shorter pause, the person may still be
 * typing.
 */
const TYPING_MS = 200;

const statuses = [
  ['', 'All'],
  ['open', 'Open'],
  ['full', 'Full'],
] as const satisfies readonly (readonly [Filter['status'], string])[];

export interface FiltersProps extends Pick<Filter, 'q' | 'status'> {
  onChange(change: Pick<Partial<Filter>, 'q' | 'status'>): void;
}

export function Filters({ q, status, onChange }: FiltersProps) {
  const [text, setText] = useState(q);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => setText(q), [q]);
  useEffect(() => {
    if (text === q) return;
    const timer = setTimeout(() => onChange({ q: text }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <search class="filters">
      <div class="field">
        <label for="search">Search</label>
        <input
          ref={field}
          id="search"
          type="search"
          maxLength={LONGEST_SEARCH}
          placeholder="Role or company"
          value={text}
          onInput={() => setText(field.current?.value ?? '')}
        />
      </div>
      <fieldset>
        <legend>Show</legend>
        {statuses.map(([value, words]) => (
          <label key={value}>
            <input
              type="radio"
              name="status"
              value={value}
              checked={value === status}
              onChange={() => onChange({ status: value })}
            />
            <span>{words}</span>
          </label>
        ))}
      </fieldset>
    </search>
  );
}
