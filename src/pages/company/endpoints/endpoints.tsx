import { useRef, useState } from 'hono/jsx/dom';
import { ASKING_AGAIN } from '../../parts/acts/notes.ts';
import { useActs } from '../../parts/acts/use-acts.ts';
import { useEffect } from '../../parts/use-effect.ts';
import { useAgain } from '../use-again.ts';
import {
  addEndpoint,
  type Endpoint,
  type EndpointValues,
  listEndpoints,
  type Result,
  type Wrong,
} from './api.ts';
import { EndpointCard } from './endpoint-card.tsx';
import { EndpointForm } from './endpoint-form.tsx';

export interface EndpointsProps {
  companyId: string;
  /**
   * The id of the endpoint whose deliveries are shown, or `none`. If this is empty and the company
   * has a single endpoint, the deliveries of this endpoint are shown.
   */
  shown: string;
  onShow(shown: string): void;
  /** The number of events of the jobs so far. */
  events: number;
}

/** The subject of a request that adds an endpoint. The new endpoint has no id yet. */
const NEW = { id: 'new', name: 'New endpoint' };

type Id = Endpoint['id'];

/** Shows the endpoints of a company. A person can add, change, test and delete them. */
export function Endpoints({ companyId, shown, onShow, events }: EndpointsProps) {
  const { value, trouble, refresh, nudge } = useAgain(companyId, (options) =>
    listEndpoints(companyId, options),
  );
  const { attempts, notes, news, act } = useActs(companyId);
  const [secrets, setSecrets] = useState<ReadonlyMap<Id, string>>(new Map());
  const [isAdding, setAdding] = useState(false);
  const [wrong, setWrong] = useState<Wrong>({});
  const adder = useRef<HTMLButtonElement>(null);
  useEffect(nudge, [events]);

  const endpoints = value ?? [];
  const keepSecret = (id: Id, secret: string | undefined) =>
    setSecrets((all) => {
      const after = new Map(all);
      if (secret === undefined) after.delete(id);
      else after.set(id, secret);
      return after;
    });
  /** Sends a request, shows its result, and reads the endpoints again. */
  const run = async (
    subject: typeof NEW | { id: Id; name: string },
    name: string,
    ask: (onWait: () => void) => Promise<Result>,
  ): Promise<Result | undefined> => {
    let result: Result | undefined;
    await act(subject, name, async (onWait) => {
      result = await ask(onWait);
      if (result.made) keepSecret(result.made.id, result.made.secret);
      refresh();
      return result.note;
    });
    // The card of the deleted endpoint disappears with the focus. So another button gets the focus.
    if (name === 'delete' && result?.note.isGood) adder.current?.focus();
    return result;
  };
  const stopAdding = () => {
    setAdding(false);
    setWrong({});
  };
  const onAdd = async (values: EndpointValues) => {
    const result = await run(NEW, 'add', (onWait) => addEndpoint(companyId, values, onWait));
    if (result?.note.isGood) stopAdding();
    else setWrong(result?.wrong ?? {});
  };
  const isShown = ({ id }: Endpoint) =>
    shown === '' ? endpoints.length === 1 : String(id) === shown;
  const note = notes.get(NEW.id);
  const isAboutFields = Object.keys(wrong).length > 0;
  return (
    <section aria-labelledby="endpoints-heading">
      <div class="section-head">
        <h2 id="endpoints-heading">Endpoints</h2>
        {value && !isAdding && (
          <button type="button" ref={adder} onClick={() => setAdding(true)}>
            Add an endpoint
          </button>
        )}
      </div>
      <p role="status" class="unseen">
        {news}
      </p>
      {isAdding && (
        <EndpointForm
          endpoint={undefined}
          attempt={attempts.get(NEW.id)}
          wrong={wrong}
          onSave={onAdd}
          onCancel={() => {
            stopAdding();
            queueMicrotask(() => adder.current?.focus());
          }}
        />
      )}
      <p class="note">
        {attempts.get(NEW.id)?.isAgain
          ? ASKING_AGAIN
          : isAdding && note && !note.isGood && !isAboutFields && note.text}
      </p>
      {trouble && <p class="trouble">{trouble}</p>}
      {value && endpoints.length === 0 && !isAdding && (
        <p class="empty">
          There is no endpoint yet. An endpoint is an address of your own. The service sends a
          message to this address when something happens to your jobs. For example, a recruiter
          claims a job.
        </p>
      )}
      <ul class="rows" aria-label="Endpoints">
        {endpoints.map((endpoint) => (
          <EndpointCard
            key={endpoint.id}
            endpoint={endpoint}
            attempt={attempts.get(endpoint.id)}
            note={notes.get(endpoint.id)}
            secret={secrets.get(endpoint.id)}
            isShown={isShown(endpoint)}
            events={events}
            onNews={nudge}
            run={(name, ask) =>
              run({ id: endpoint.id, name: endpoint.url }, name, (onWait) => ask(endpoint, onWait))
            }
            onSecretSeen={() => keepSecret(endpoint.id, undefined)}
            onShow={(isWanted) => onShow(isWanted ? String(endpoint.id) : 'none')}
          />
        ))}
      </ul>
    </section>
  );
}
