import { useRef } from 'hono/jsx/dom';
import type { PendingAct } from '../../parts/acts/use-acts.ts';
import { useEffect } from '../../parts/use-effect.ts';
import type { Endpoint, EndpointValues, MessageType, Wrong } from './api.ts';
import { allTypes, messageTypes } from './message-types.ts';

export interface EndpointFormProps {
  /** The endpoint to change. Undefined for a new endpoint. */
  endpoint: Endpoint | undefined;
  attempt: PendingAct | undefined;
  wrong: Wrong;
  onSave(values: EndpointValues): void;
  onCancel(): void;
}

/**
 * Shows the fields of an endpoint. The service checks the fields, and the form shows the errors.
 */
export function EndpointForm({ endpoint, attempt, wrong, onSave, onCancel }: EndpointFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const id = `endpoint-${endpoint?.id ?? 'new'}`;
  const focusOn = (selector: string) => form.current?.querySelector<HTMLElement>(selector)?.focus();
  useEffect(() => focusOn('[name=url]'), []);
  useEffect(() => focusOn('[aria-invalid=true]'), [wrong]);
  const about = (name: keyof Wrong) => ({
    'aria-invalid': wrong[name] ? ('true' as const) : undefined,
    'aria-describedby': wrong[name] ? `${id}-${name}-wrong` : undefined,
  });
  const save = (event: Event) => {
    event.preventDefault();
    if (!form.current || attempt) return;
    const data = new FormData(form.current);
    onSave({
      url: String(data.get('url')).trim(),
      types: data.getAll('types') as MessageType[],
      description: String(data.get('description')).trim(),
    });
  };
  return (
    <form
      class="panel endpoint-form"
      ref={form}
      noValidate
      aria-label={endpoint ? `Change ${endpoint.url}` : 'Add an endpoint'}
      onSubmit={save}
      onKeyDown={(event: KeyboardEvent) => event.key === 'Escape' && onCancel()}
    >
      <label for={`${id}-url`}>URL</label>
      <input
        id={`${id}-url`}
        name="url"
        type="text"
        inputMode="url"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        placeholder="https://"
        value={endpoint?.url ?? ''}
        {...about('url')}
      />
      <FieldError id={`${id}-url-wrong`} text={wrong.url} />
      <fieldset {...about('types')} tabIndex={-1}>
        <legend>Tell the endpoint when</legend>
        {allTypes.map((type) => (
          <label key={type} class="type">
            <input
              type="checkbox"
              name="types"
              value={type}
              checked={endpoint ? endpoint.types.includes(type) : true}
            />
            <span>
              {messageTypes[type]} <code>{type}</code>
            </span>
          </label>
        ))}
      </fieldset>
      <FieldError id={`${id}-types-wrong`} text={wrong.types} />
      <label for={`${id}-description`}>Description (optional)</label>
      <input
        id={`${id}-description`}
        name="description"
        autocomplete="off"
        value={endpoint?.description ?? ''}
        {...about('description')}
      />
      <FieldError id={`${id}-description-wrong`} text={wrong.description} />
      <div class="buttons">
        <button type="submit" class="primary" aria-disabled={attempt ? 'true' : undefined}>
          {wordsOf(endpoint !== undefined, attempt !== undefined)}
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

const wordsOf = (isChange: boolean, isUnderWay: boolean): string => {
  if (isChange) return isUnderWay ? 'Saving…' : 'Save';
  return isUnderWay ? 'Adding…' : 'Add the endpoint';
};

const FieldError = ({ id, text }: { id: string; text: string | undefined }) =>
  text ? (
    <p id={id} class="note">
      {text}
    </p>
  ) : null;
