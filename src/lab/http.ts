import { adminOnly } from '../auth/http.ts';
import { guardedBy, newRoutes } from '../http.ts';
import type { Log } from '../log.ts';
import { methodNotAllowed } from '../problem.ts';
import { explorationRoutes } from './explorations/http.ts';
import type { LabStages } from './lab-stages.ts';
import { playRoutes } from './play/http.ts';
import { raceRoutes } from './races/http.ts';
import type { RacesDeps } from './races/races.ts';
import { roundRoutes } from './rounds/http.ts';
import { syllabusRoutes } from './syllabus/http.ts';

export interface LabDeps extends Pick<RacesDeps, 'around' | 'patience'> {
  log: Log;
  stages: LabStages;
  /** Aborted when the server stops: streams end then. */
  stop: AbortSignal;
}

/** The lab's routes. Mounted in workshop mode only. All of them work in scratch databases. */
export function createLab({
  log,
  stages,
  stop,
  around,
  patience,
}: LabDeps): ReturnType<typeof newRoutes> {
  const lab = newRoutes();
  lab.use(guardedBy(adminOnly));
  lab.route('/', syllabusRoutes());
  lab.route('/', explorationRoutes({ stages: stages.explorations, log, stop }));
  lab.route('/', roundRoutes({ stages: stages.rounds, log, stop }));
  lab.route('/', raceRoutes({ tracks: stages.tracks, log, around, patience }));
  lab.route('/', playRoutes(stages.plays));
  lab.all('/plays', () => methodNotAllowed('POST'));
  return lab;
}
