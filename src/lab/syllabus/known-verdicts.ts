import { z } from 'zod';
import written from './verdicts.json' with { type: 'json' };
import { type Verdict, verdictRules } from './verdicts.ts';

/**
 * The verdict on each strategy, by its address, from every schedule of two sessions. `npm run
 * matrix` writes the JSON. The command must not import this module. Otherwise it could not repair a
 * broken file.
 */
export const knownVerdicts: Record<string, Verdict> = z
  .record(z.string(), verdictRules)
  .parse(written);
