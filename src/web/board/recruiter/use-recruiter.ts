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
  /** Whether a recruiter's token fixes the recruiter. */
  isFixed: boolean;
}

/** The recruiter who claims: the one in the token, or else the one in the address. */
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
