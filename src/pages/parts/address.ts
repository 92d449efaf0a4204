import { useState } from 'hono/jsx/dom';
import { useEffect } from './use-effect.ts';

/**
 * The state that a page keeps in its address. People can bookmark and share the address, and the
 * browser's Back button returns to an earlier state.
 */
interface Address {
  /** The cursor where the list of jobs begins. Empty means the first page. */
  after: string;
}

/** The cursors of the earlier pages, kept in the browser's history. */
type Trail = string[];

/**
 * Keeps the state of a page in its address. `read` takes the state from the parameters of the
 * address.
 */
export function useAddress<A extends Address & Record<keyof A, string>>(
  read: (query: URLSearchParams) => A,
) {
  const readNow = () => read(new URLSearchParams(location.search));
  const [address, setAddress] = useState(readNow());
  const write = (change: Partial<A>, how: 'pushState' | 'replaceState', trail: Trail) => {
    const next = { ...readNow(), ...change };
    history[how]({ trail }, '', toQuery(next));
    setAddress(next);
  };
  const turn = (after: string, trail: Trail) => {
    write({ after } as Partial<A>, 'pushState', trail);
    scrollTo({ top: 0 });
  };
  useEffect(() => {
    // Writes the state into the address. So this tab keeps its state, even if a person chooses
    // another recruiter or company in another tab.
    write({}, 'replaceState', readTrail());
    const onBack = () => setAddress(readNow());
    addEventListener('popstate', onBack);
    return () => removeEventListener('popstate', onBack);
  }, []);
  return {
    address,
    /** The number of pages before this page. */
    depth: readTrail().length,
    /** Changes the address, and stays on this page of jobs. */
    change: (change: Partial<A>) => write(change, 'replaceState', readTrail()),
    /** Changes the address, and begins with the first page of jobs. */
    begin: (change: Partial<A>) => write({ ...change, after: '' }, 'replaceState', []),
    turnTo: (after: string) => turn(after, [...readTrail(), readNow().after]),
    turnBack: () => {
      const trail = readTrail();
      turn(trail.at(-1) ?? '', trail.slice(0, -1));
    },
  };
}

const readTrail = (): Trail => (history.state as { trail?: Trail } | null)?.trail ?? [];

/** Returns the query string of an address, without empty values. */
function toQuery(address: Record<string, string>): string {
  const given = Object.entries(address).filter(([, value]) => value !== '');
  return given.length === 0 ? location.pathname : `?${new URLSearchParams(given)}`;
}
