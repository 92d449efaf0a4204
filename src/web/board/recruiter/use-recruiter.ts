import { useState } from 'hono/jsx/dom';
import { insist } from '../../parts/insist.ts';
import { useStore } from '../../parts/store.ts';
import { bearerOf, token } from '../../parts/token.ts';
import { useEffect } from '../../parts/use-effect.ts';
import { type Recruiter, readRecruiter } from './recruiters.ts';

export interface Person {
  /** The id of the recruiter who claims. Empty until somebody chooses. */
  id: string;
  /** Undefined until the service has answered. */
  recruiter: Recruiter | undefined;
  /** Whether the token belongs to a recruiter. Then the person cannot choose another recruiter. */
  isFixed: boolean;
}

/**
 * Reads the recruiter who claims. A recruiter's token names the recruiter. Otherwise the address of
 * the page names the recruiter.
 */
export function useRecruiter(wanted: string): Person {
  const { role, sub } = bearerOf(useStore(token));
  const isFixed = role === 'recruiter';
  const id = isFixed ? (sub ?? '') : wanted;
  const [recruiter, setRecruiter] = useState<Recruiter | undefined>(undefined);
  useEffect(() => {
    const leaving = new AbortController();
    const read = async () => {
      if (id === '') return;
      setRecruiter(await insist(() => readRecruiter(id, leaving.signal), leaving.signal));
    };
    read().catch(() => undefined);
    return () => leaving.abort();
  }, [id]);
  const isKnown = recruiter !== undefined && String(recruiter.id) === id;
  return { id, recruiter: isKnown ? recruiter : undefined, isFixed };
}
