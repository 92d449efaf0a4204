import { longestAnswer } from '../platform/waiting/admission.ts';
import type { Mount } from '../service/http/mount.ts';
import { createLab } from './http.ts';
import { Host } from './own/host.ts';
import type { Own } from './own/own.ts';
import { labMeanings } from './problems.ts';
import { RACE_CLAIM_LIMITS } from './race/races/http.ts';
import type { Trace } from './race/trace.ts';
import { openStages, PLAY_LIMITS } from './stages/lab-stages.ts';

export interface LabOptions {
  /** A student's code that the lab shows. */
  own?: Own | undefined;
  /** Records the statements of the lab's strategies. */
  trace?: Trace | undefined;
}

/**
 * Adds the lab to a service in workshop mode. The lab does not work behind a pooler in transaction
 * mode.
 */
export const labMount = ({ own, trace }: LabOptions = {}): Mount => ({
  path: '/lab',
  problems: labMeanings,
  longestAnswerMs: Math.max(...[RACE_CLAIM_LIMITS, PLAY_LIMITS].map(longestAnswer)),
  open({ databaseUrl, databaseName, log, stop, corsOrigins }) {
    const stages = openStages(databaseUrl, log, { name: databaseName, trace });
    const hosted = own && new Host(own, databaseUrl);
    return {
      routes: () =>
        createLab({ log, stages, stop, own: hosted, corsOrigins, around: trace?.around }),
      leave: () => hosted?.close(),
      close: () => stages.close(),
    };
  },
});
