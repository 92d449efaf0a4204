import { claimSettings } from '../chapters/claims/situations.ts';
import { strategies } from '../chapters/claims/strategies/index.ts';
import type { Strategy } from '../chapters/claims/strategy.ts';
import { knownVerdicts } from './known-verdicts.ts';
import { type Source, sourcesOf } from './source.ts';
import type { Finding, Verdict } from './verdicts.ts';

/** A strategy with what is proven of it. */
export interface Entry extends Pick<Strategy, 'name' | 'idea' | 'promise'> {
  /** Null for one that `npm run matrix` has not explored yet; it has no settings then. */
  verdict: Verdict['verdict'] | null;
  /** What the explorer found in each situation, from every schedule of two recruiters. */
  settings: ({ name: string; idea: string } & Finding)[];
}

export type EntryWithSources = Entry & { sources: Source[] };

/** Every strategy, in the order in which the workshop meets them. */
export const syllabus: readonly Entry[] = strategies.map(({ name, idea, promise }) => {
  const found = knownVerdicts[name];
  const settings = claimSettings.flatMap((setting) => {
    const finding = found?.settings[setting.name];
    return finding ? [{ name: setting.name, idea: setting.idea, ...finding }] : [];
  });
  return { name, idea, promise, verdict: found?.verdict ?? null, settings };
});

/** One strategy with its source code; undefined where there is none of this name. */
export function readEntry(name: string): EntryWithSources | undefined {
  const entry = syllabus.find((each) => each.name === name);
  return entry && { ...entry, sources: sourcesOf(name) };
}
