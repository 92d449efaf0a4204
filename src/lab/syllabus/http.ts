import { newRoutes } from '../../http/new-routes.ts';
import { problem } from '../../http/problem.ts';
import { methodNotAllowed } from '../../http/problems.ts';
import type { LabProblem } from '../problems.ts';
import { readEntry, syllabus } from './syllabus.ts';

export const noSuchStrategy = {
  status: 404,
  code: 'strategy-not-found',
  title: 'No such strategy',
  detail: `The strategies are ${syllabus.map(({ name }) => name).join(', ')}.`,
} as const satisfies LabProblem;

/** The strategies, and one of them with its source code. */
export function syllabusRoutes() {
  const routes = newRoutes()
    .get('/strategies', (c) => c.json(syllabus))
    .get('/strategies/:name', (c) => {
      const entry = readEntry(c.req.param('name'));
      return entry ? c.json(entry) : problem(noSuchStrategy);
    });
  for (const path of ['/strategies', '/strategies/:name'])
    routes.all(path, () => methodNotAllowed('GET, HEAD'));
  return routes;
}

export type SyllabusRoutes = ReturnType<typeof syllabusRoutes>;
