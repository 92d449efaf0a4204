import { z } from 'zod';
import written from './verdicts.json' with { type: 'json' };
import { type Verdict, verdictRules } from './verdicts.ts';

/**
 * The verdict on each strategy, by its name, from every schedule of two recruiters. `npm run matrix`
 * writes the file. It must not import this one: a broken file could then not be written anew.
 */
export const knownVerdicts: Record<string, Verdict> = z
  .record(z.string(), verdictRules)
  .parse(written);
