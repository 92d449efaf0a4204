import { useRef, useState } from 'hono/jsx/dom';
import { ASKING_AGAIN } from '../../parts/acts/notes.ts';
import { useActs } from '../../parts/acts/use-acts.ts';
import { Pages } from '../../parts/pages.tsx';
import { useEffect } from '../../parts/use-effect.ts';
import type { Endpoint } from '../endpoints/api.ts';
import { useAgain } from '../use-again.ts';
import { type Delivery, type DeliveryFilter, listDeliveries, resend, resendSince } from './api.ts';
import { DeliveryRow, subjectOf } from './delivery-row.tsx';
import { ResendSince } from './resend-since.tsx';

export interface DeliveriesProps {
  endpoint: Endpoint;
  /** The number of events and test messages so far. Each of them may have made a delivery. */
  events: number;
  /** Called when the deliveries have changed. */
  onNews(): void;
}

const statuses = [
  ['', 'All'],
  ['waiting', 'Waiting'],
  ['failed', 'Failed'],
  ['delivered', 'Delivered'],
] as const satisfies readonly (readonly [DeliveryFilter['status'], string])[];

/** The subject of a request that resends all messages since a time. */
const ALL = { id: 'all', name: 'All messages' };

/** Shows the deliveries to an endpoint, newest first. */
export function Deliveries({ endpoint, events, onNews }: DeliveriesProps) {
  const [status, setStatus] = useState<DeliveryFilter['status']>('');
  /** The cursors of this page and of the earlier pages. */
  const [trail, setTrail] = useState<string[]>(['']);
  const after = trail.at(-1) ?? '';
  const select = useRef<HTMLSelectElement>(null);
  /** The delivery that a person has resent, until the list is read again. */
  const resent = useRef<Delivery['id'] | undefined>(undefined);
  const { value, trouble, refresh, nudge } = useAgain(
    [endpoint.id, status, after].join(),
    (options) => listDeliveries({ endpointId: endpoint.id, status, after }, options),
  );
  const { attempts, notes, news, act } = useActs(String(endpoint.id));
  useEffect(nudge, [events]);
  useEffect(onNews, [value]);
  useEffect(() => {
    const isListed = value?.deliveries.some(({ id }) => id === resent.current);
    // With a filter, the resent delivery may leave the list. If its button had the focus, the
    // filter gets the focus.
    if (resent.current !== undefined && !isListed && document.activeElement === document.body)
      select.current?.focus();
    resent.current = undefined;
  }, [value]);
  const statusField = `status-${endpoint.id}`;
  const deliveries = value?.deliveries ?? [];
  const next = value?.nextCursor ?? null;
  const isFiltered = status !== '' || after !== '';
  const noteOnAll = notes.get(ALL.id);
  return (
    <div class="deliveries">
      <p role="status" class="unseen">
        {news}
      </p>
      {(isFiltered || deliveries.length > 0) && (
        <div class="delivery-controls">
          <div class="field">
            <label for={statusField}>Show</label>
            <select
              id={statusField}
              ref={select}
              onChange={() => {
                setStatus((select.current?.value ?? '') as DeliveryFilter['status']);
                setTrail(['']);
              }}
            >
              {statuses.map(([each, words]) => (
                <option key={each} value={each} selected={each === status}>
                  {words}
                </option>
              ))}
            </select>
          </div>
          <ResendSince
            subject={`to ${endpoint.url}`}
            attempt={attempts.get(ALL.id)}
            onResend={(since) =>
              void act(ALL, 'resend', async (onWait) => {
                const note = await resendSince(endpoint.id, since, onWait);
                refresh();
                return note;
              })
            }
          />
        </div>
      )}
      <p class={noteOnAll?.isGood ? 'note good' : 'note'}>
        {attempts.get(ALL.id)?.isAgain ? ASKING_AGAIN : noteOnAll?.text}
      </p>
      {trouble && <p class="note">{trouble}</p>}
      {!value && !trouble && <p class="empty">Loading…</p>}
      {value && deliveries.length === 0 && <p class="empty">{emptyWords(status, after)}</p>}
      <ul class="rows" aria-label={`Deliveries to ${endpoint.url}`}>
        {deliveries.map((delivery) => (
          <DeliveryRow
            key={delivery.id}
            delivery={delivery}
            attempt={attempts.get(delivery.id)}
            note={notes.get(delivery.id)}
            onResend={() =>
              void act({ id: delivery.id, name: subjectOf(delivery) }, 'resend', async (onWait) => {
                const note = await resend(delivery, onWait);
                resent.current = delivery.id;
                refresh();
                return note;
              })
            }
          />
        ))}
      </ul>
      {(after !== '' || next !== null) && (
        <Pages
          of="deliveries"
          depth={trail.length - 1}
          isFirst={after === ''}
          next={next}
          onFirst={() => setTrail([''])}
          onBack={() => setTrail(trail.slice(0, -1))}
          onNext={(cursor) => setTrail([...trail, cursor])}
        />
      )}
    </div>
  );
}

function emptyWords(status: DeliveryFilter['status'], after: string): string {
  if (status) return `There is no ${status} delivery${after ? ' on this page' : ''}.`;
  if (after) return 'There is no delivery on this page.';
  return 'Nothing has been sent yet. Send a test, or wait for the next event.';
}
