import { useRef, useState } from 'hono/jsx/dom';
import { pause } from '../../../platform/waiting/backoff.ts';
import { Refused } from '../insist.ts';
import { LONGEST_SEARCH } from '../search.ts';
import { useEffect } from '../use-effect.ts';
import type { Directory, Named } from './named.ts';

/**
 * The page searches after a pause of this length. During a shorter pause, the person may still be
 * typing.
 */
const TYPING_MS = 150;

export interface SearchBoxProps {
  directory: Directory;
  /** Undefined until somebody chooses. */
  chosen: Named | undefined;
  onChoose(chosen: Named): void;
}

interface Search {
  by: string;
  found: Named[];
}

/**
 * Shows a text field with a list of matches. A person chooses one of many recruiters or companies.
 */
export function SearchBox({ directory, chosen, onChoose }: SearchBoxProps) {
  const { role, plural, find: findMatches } = directory;
  const [text, setText] = useState<string | undefined>(undefined);
  /** The matches for the text `by`. The field may already contain a newer text. */
  const [{ by, found }, setFound] = useState<Search>({ by: '', found: [] });
  const [hint, setHint] = useState('');
  const [active, setActive] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  /** Whether Enter was pressed before the matches were known. */
  const isEntered = useRef(false);
  const isOpen = text !== undefined;

  useEffect(() => {
    if (text === undefined) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    const find = async () => {
      await pause(text === '' ? 0 : TYPING_MS, signal);
      const found = await findMatches(text, { signal });
      setFound({ by: text, found });
      setHint(found.length === 0 ? `No ${role} of that name` : '');
      setActive(0);
      if (isEntered.current) choose(found[0]);
    };
    find().catch((error: Error) => {
      if (signal.aborted) return;
      setFound({ by: text, found: [] });
      setHint(error instanceof Refused ? error.message : 'The service does not answer');
    });
    return () => {
      isEntered.current = false;
      leaving.abort();
    };
  }, [text]);

  useEffect(() => {
    // Selects the chosen name, so that the next typed text replaces the name.
    if (document.activeElement === field.current) field.current?.select();
  }, [chosen]);

  const choose = (match: Named | undefined) => {
    if (!match) return;
    setText(undefined);
    onChoose(match);
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (!isOpen) setText('');
      else setActive((at) => (at + step + found.length) % Math.max(1, found.length));
    } else if (event.key === 'Enter' && isOpen) {
      if (by === text) choose(found[active]);
      else isEntered.current = true;
    } else if (event.key === 'Escape') setText(undefined);
  };
  return (
    <div class="search-box">
      <label for={role}>You are</label>
      <input
        ref={field}
        id={role}
        role="combobox"
        aria-expanded={isOpen ? 'true' : 'false'}
        aria-controls={`${role}-matches`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && found[active] ? `${role}-${found[active].id}` : undefined}
        autocomplete="off"
        maxLength={LONGEST_SEARCH}
        placeholder={chosen?.name ?? `Search a ${role}`}
        value={text ?? chosen?.name ?? ''}
        // The chosen name stays readable, and typed text replaces it.
        onFocus={() => (chosen ? field.current?.select() : setText(''))}
        onClick={() => setText(text ?? '')}
        onInput={() => setText(field.current?.value ?? '')}
        onKeyDown={onKey}
        onBlur={() => setText(undefined)}
      />
      <div id={`${role}-matches`} role="listbox" aria-label={plural} hidden={!isOpen}>
        {found.map((match, at) => (
          <div
            key={match.id}
            id={`${role}-${match.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === active ? 'true' : 'false'}
            // `mousedown` happens before the field loses the focus. `click` would be too late,
            // because the list closes when the field loses the focus.
            onMouseDown={(event: MouseEvent) => {
              event.preventDefault();
              choose(match);
            }}
          >
            {match.name} <span class="muted">no.&nbsp;{match.id}</span>
          </div>
        ))}
        {hint && (
          <div role="option" tabIndex={-1} aria-selected="false" aria-disabled="true" class="muted">
            {hint}
          </div>
        )}
      </div>
    </div>
  );
}
