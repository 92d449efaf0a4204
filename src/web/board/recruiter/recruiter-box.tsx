import { useRef, useState } from 'hono/jsx/dom';
import { pause } from '../../../waiting/backoff.ts';
import { Refused } from '../../parts/insist.ts';
import { LONGEST_SEARCH } from '../../parts/search.ts';
import { useEffect } from '../../parts/use-effect.ts';
import { findRecruiters, type Recruiter } from './recruiters.ts';

/**
 * After a pause of this length the page searches. A shorter pause means that somebody is still
 * typing.
 */
const TYPING_MS = 150;

export interface RecruiterBoxProps {
  /** The chosen recruiter. Undefined until somebody chooses. */
  chosen: Recruiter | undefined;
  onChoose(recruiter: Recruiter): void;
}

interface Search {
  by: string;
  found: Recruiter[];
}

/** A text field with a list of matches, to choose one of many recruiters. */
export function RecruiterBox({ chosen, onChoose }: RecruiterBoxProps) {
  const [text, setText] = useState<string | undefined>(undefined);
  /** The matches for the text `by`. The field may already hold a newer text. */
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
      const found = await findRecruiters(text, signal);
      setFound({ by: text, found });
      setHint(found.length === 0 ? 'Nobody of that name' : '');
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
    // The next typed text replaces the name.
    if (document.activeElement === field.current) field.current?.select();
  }, [chosen]);

  const choose = (recruiter: Recruiter | undefined) => {
    if (!recruiter) return;
    setText(undefined);
    onChoose(recruiter);
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
    <div class="recruiter-box">
      <label for="recruiter">You are</label>
      <input
        ref={field}
        id="recruiter"
        role="combobox"
        aria-expanded={isOpen ? 'true' : 'false'}
        aria-controls="recruiters"
        aria-autocomplete="list"
        aria-activedescendant={
          isOpen && found[active] ? `recruiter-${found[active].id}` : undefined
        }
        autocomplete="off"
        maxLength={LONGEST_SEARCH}
        placeholder={chosen?.name ?? 'Search a recruiter'}
        value={text ?? chosen?.name ?? ''}
        // The chosen name stays readable, and typed text replaces it.
        onFocus={() => (chosen ? field.current?.select() : setText(''))}
        onClick={() => setText(text ?? '')}
        onInput={() => setText(field.current?.value ?? '')}
        onKeyDown={onKey}
        onBlur={() => setText(undefined)}
      />
      <div id="recruiters" role="listbox" aria-label="Recruiters" hidden={!isOpen}>
        {found.map((recruiter, at) => (
          <div
            key={recruiter.id}
            id={`recruiter-${recruiter.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === active ? 'true' : 'false'}
            // `mousedown` happens before the field loses the focus. `click` would be too late,
            // because the list closes when the field loses the focus.
            onMouseDown={(event: MouseEvent) => {
              event.preventDefault();
              choose(recruiter);
            }}
          >
            {recruiter.name} <span class="muted">no. {recruiter.id}</span>
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
