import type { Bounds, Experiment } from '../../sandbox/experiment.ts';
import { LEAST_SESSIONS, MOST_SESSIONS } from './address.ts';

interface EditorProps {
  experiment: Experiment;
  bounds: Bounds;
  onChange: (next: Experiment) => void;
}

/** Shows fields for the tables, the sessions and the check. The sessions stand side by side. */
export function Editor({ experiment, bounds, onChange }: EditorProps) {
  const { tables, sessions, check } = experiment;
  const changeSession = (index: number, text: string) =>
    onChange({ ...experiment, sessions: sessions.with(index, text) });
  const isFull = sessions.length >= MOST_SESSIONS;
  return (
    <div class="editor">
      <Sql
        label="Tables"
        hint="Run before each schedule."
        value={tables}
        most={bounds.tables}
        onInput={(text) => onChange({ ...experiment, tables: text })}
      />
      <div class="editor-sessions">
        {sessions.map((text, index) => (
          <Sql
            key={index}
            label={`Session ${index + 1}`}
            hint="Statements with semicolons."
            value={text}
            most={bounds.session}
            className={`s${index + 1}`}
            onInput={(next) => changeSession(index, next)}
          />
        ))}
      </div>
      <button
        type="button"
        class="editor-more"
        onClick={() =>
          onChange({
            ...experiment,
            sessions: isFull ? sessions.slice(0, LEAST_SESSIONS) : [...sessions, ''],
          })
        }
      >
        {isFull ? 'Remove session 3' : 'Add a third session'}
      </button>
      <Sql
        label="Check"
        hint="A query that must return one row. Its first column must be true after each schedule. Other columns are only shown."
        value={check}
        most={bounds.check}
        onInput={(text) => onChange({ ...experiment, check: text })}
      />
    </div>
  );
}

interface SqlProps {
  label: string;
  hint: string;
  value: string;
  /** The maximum number of characters. */
  most: number;
  className?: string;
  onInput: (text: string) => void;
}

function Sql({ label, hint, value, most, className = '', onInput }: SqlProps) {
  const id = label.toLowerCase().replace(' ', '-');
  return (
    <div class={`sql ${className}`}>
      <label for={id}>{label}</label>
      <p id={`${id}-hint`}>{hint}</p>
      <textarea
        id={id}
        aria-describedby={`${id}-hint`}
        value={value}
        maxlength={most}
        rows={Math.max(3, value.split('\n').length + 1)}
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        onInput={({ target }: Event) => onInput((target as HTMLTextAreaElement).value)}
      />
    </div>
  );
}
