import type { Session } from '../../../platform/db/session.ts';
import type { Mark, ShownState } from '../../chapter.ts';

/**
 * The SQL expressions that build the name of a locked row, by table. The list of locks on the page
 * shows these names.
 */
export const lockable: Readonly<Record<string, string>> = {
  'lab_retries.keys': "'key ' || key",
  'lab_retries.charges': "'charge ' || receipt",
  'public.idempotency_keys': "'key ' || key",
};

/** A key, with the charges for it in our own database. */
interface Row {
  key: string;
  /** Null if the table of keys does not have the key. */
  state: 'pending' | 'done' | null;
  receipt: string | null;
  charges: number;
}

/**
 * Reads the committed keys and charges as marks. A second charge for a key is marked as excess.
 * Charges at the provider are in no table, so only the ledger shows them.
 */
export async function readState(admin: Session): Promise<ShownState> {
  const rows = (await admin.run({ text: ROWS, params: [], asArrays: false })) as unknown as Row[];
  const charges = rows.reduce((sum, row) => sum + row.charges, 0);
  return {
    marks: rows.flatMap(marksOf),
    summary: `${charges === 0 ? 'no' : charges} ${charges === 1 ? 'charge' : 'charges'} in the database`,
    detail: rows.length === 0 ? 'No key is known.' : rows.map(say).join(' '),
    isWrong: rows.some((row) => row.charges > 1),
  };
}

/** Production's table has only keys with an answer. No strategy writes both tables of keys. */
const ROWS = `
  with known as (
    select key, status as state, receipt::text from lab_retries.keys
    union all
    select key, 'done', body::jsonb ->> 'receipt' from public.idempotency_keys
  ), charged as (
    select key, count(*)::int as charges from lab_retries.charges group by key
  )
  select key, state, receipt, coalesce(charges, 0) as charges
  from known full join charged using (key) order by key`;

/**
 * Returns a mark for the key, and a mark for each charge. No table says which request wrote a row,
 * so each mark is `earlier`.
 */
const marksOf = ({ state, charges }: Row): Mark[] => [
  { by: state === null ? 'nobody' : 'earlier', label: labelOf(state), isExcess: false },
  ...Array.from({ length: charges }, (_, index) => ({
    by: 'earlier' as const,
    label: 'charge',
    isExcess: index > 0,
  })),
];

/**
 * Returns the label of the mark. A pending key has the label `running`, which the page knows from
 * the queue.
 */
const labelOf = (state: Row['state']) => (state === 'pending' ? 'running' : (state ?? 'unknown'));

function say({ key, state, receipt, charges }: Row): string {
  const stored = receipt === null ? 'without a receipt' : `with receipt ${receipt}`;
  const known = { pending: 'pending', done: `done, ${stored}` };
  const often = charges > 1 ? `, charged ${charges} times` : '';
  return `Key ${key}: ${state === null ? 'unknown' : known[state]}${often}.`;
}
