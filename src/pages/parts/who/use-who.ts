import { useState } from 'hono/jsx/dom';
import { bearerOf } from '../../../client/index.ts';
import { insist, Refused } from '../insist.ts';
import { useStore } from '../store.ts';
import { token } from '../token.ts';
import { useEffect } from '../use-effect.ts';
import type { Directory, Named } from './named.ts';

export interface Person {
  /**
   * The id of the recruiter or the company for whom the page acts. Empty until somebody chooses.
   */
  id: string;
  /** Undefined until the service has answered. */
  known: Named | undefined;
  /** Whether the token names the person. If so, nobody can choose another person on the page. */
  isFixed: boolean;
  /** The reason why the service refuses to send the name. Undefined if all is well. */
  trouble: string | undefined;
}

/**
 * Reads the name of the recruiter or the company for whom the page acts. A token of the right role
 * has the id. Otherwise the address of the page has the id.
 */
export function useWho({ role, read }: Directory, wanted: string): Person {
  const bearer = bearerOf(useStore(token));
  const isFixed = bearer.role === role;
  const id = isFixed ? (bearer.sub ?? '') : wanted;
  const [known, setKnown] = useState<Named | undefined>(undefined);
  const [trouble, setTrouble] = useState<string | undefined>(undefined);
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    setTrouble(undefined);
    const look = async () => {
      if (id !== '') setKnown(await insist((options) => read(id, options), signal));
    };
    look().catch((error) => {
      if (!signal.aborted && error instanceof Refused) setTrouble(error.message);
    });
    return () => leaving.abort();
  }, [id]);
  const isNow = known !== undefined && String(known.id) === id;
  return { id, known: isNow ? known : undefined, isFixed, trouble };
}
