import type { Log } from '../platform/process/log.ts';
import { adminOnly } from '../service/http/auth/http.ts';
import { guardedBy, newRoutes } from '../service/http/new-routes.ts';
import { methodNotAllowed } from '../service/http/problems.ts';
import { allStrategies, leftOut } from './chapters/index.ts';
import { explorationRoutes } from './explorations/http.ts';
import { lessonRoutes } from './lessons/http.ts';
import type { Host } from './own/host.ts';
import { ownRoutes } from './own/http.ts';
import { playRoutes } from './play/http.ts';
import { raceRoutes } from './race/races/http.ts';
import type { RacesDeps } from './race/races/races.ts';
import { roundRoutes } from './race/rounds/http.ts';
import { sandboxRoutes } from './sandbox/http.ts';
import { scriptRoutes } from './sql/http.ts';
import type { LabStages } from './stages/lab-stages.ts';
import { syllabusRoutes } from './syllabus/http.ts';

export interface LabDeps extends Pick<RacesDeps, 'around' | 'patience'> {
  log: Log;
  stages: LabStages;
  /** Aborted when the server stops. All streams then end. */
  stop: AbortSignal;
  /** The strategy of a student's file, if the lab shows one. */
  own?: Host | undefined;
  /** Pages of these origins may use the lab. */
  corsOrigins?: readonly string[];
}

/**
 * Makes the lab's routes. Only a server in workshop mode has these routes. The routes write to
 * scratch databases only.
 */
export function createLab({
  log,
  stages,
  stop,
  own,
  corsOrigins = [],
  around,
  patience,
}: LabDeps): ReturnType<typeof newRoutes> {
  for (const line of leftOut(allStrategies))
    log.info({ event: 'the lab lacks a store', reason: line });
  const lab = newRoutes();
  lab.use(guardedBy(adminOnly));
  lab.route('/', lessonRoutes());
  if (own) lab.route('/', ownRoutes(own));
  lab.route('/', syllabusRoutes());
  lab.route('/', explorationRoutes({ stages: stages.explorations, log, stop }, corsOrigins));
  lab.route('/', roundRoutes({ stages: stages.rounds, log, stop }));
  lab.route('/', raceRoutes({ tracks: stages.tracks, log, around, patience }, corsOrigins));
  lab.route('/', playRoutes(stages.plays));
  lab.route('/', sandboxRoutes({ boxes: stages.boxes, log, stop }));
  lab.route('/', scriptRoutes({ boxes: stages.lessonBoxes, log, stop }));
  lab.all('/plays', () => methodNotAllowed('POST'));
  return lab;
}
