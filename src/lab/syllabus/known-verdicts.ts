import { z } from 'zod';
import written from '../../../workshop/verdicts.generated.json' with { type: 'json' };
import { type Verdict, verdictRules } from './verdicts.ts';

/**
 * The verdict on each strategy, by the address of the strategy. The verdicts come from every
 * schedule of two sessions. `npm run matrix` writes the JSON file. This command must not import
 * this module, because the import fails if the file is broken. Then the command could not write a
 * new file.
 */
export const knownVerdicts: Record<string, Verdict> = z
  .record(z.string(), verdictRules)
  .parse(written);
