import type { Effect } from '../../chapter.ts';
import type { Memory } from './strategy.ts';

/** The memory of a process. Each look and each write is one step. */
export function memoryOf(map: Map<string, unknown>, effect: Effect): Memory {
  const inMemory = <T>(text: string, act: () => T) => effect({ text, isInMemory: true }, act);
  return {
    get: <T>(key: string) =>
      inMemory(`look for ${key} in memory`, () => map.get(key) as T | undefined),
    async set(key, value) {
      await inMemory(`keep ${key} in memory`, () => void map.set(key, value));
    },
    putIfAbsent: <T>(key: string, value: T) =>
      inMemory(`look for ${key} in memory, or keep it there`, () => {
        const known = map.get(key) as T | undefined;
        if (known === undefined) map.set(key, value);
        return known;
      }),
  };
}
