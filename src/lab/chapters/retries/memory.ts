import type { Effect } from '../../chapter.ts';
import type { Memory } from './strategy.ts';

/**
 * Returns the memory of the server with this number. Each read and each write is one step. The
 * transcript tells whether a read found a value.
 */
export function memoryOf(map: Map<string, unknown>, effect: Effect, server: number): Memory {
  const place = `the memory of server ${server}`;
  const inMemory = (text: string, act: () => unknown) => effect({ text, isInMemory: true }, act);
  const look = async <T>(text: string, key: string, found: (known: T | undefined) => void) => {
    let known: T | undefined;
    await inMemory(text, () => {
      known = map.get(key) as T | undefined;
      found(known);
      return known === undefined ? 'not there' : 'there';
    });
    return known;
  };
  return {
    get: <T>(key: string) => look<T>(`look for key ${key} in ${place}`, key, () => undefined),
    async set(key, value) {
      await inMemory(`keep key ${key} in ${place}`, () => void map.set(key, value));
    },
    putIfAbsent: <T>(key: string, value: T) =>
      look<T>(`look for key ${key} in ${place}, or keep it there`, key, (known) => {
        if (known === undefined) map.set(key, value);
      }),
  };
}
