import type { Context } from 'hono';
import { type Env, newRoutes } from '../../service/http/new-routes.ts';
import { problem } from '../../service/http/problem.ts';
import { methodNotAllowed } from '../../service/http/problems.ts';
import type { Chapter } from '../chapter.ts';
import { chapters, findStrategy } from '../chapters/index.ts';
import { noSuchStrategy } from '../problems.ts';
import { readTexts } from './source.ts';
import { readEntry, readSyllabus } from './syllabus.ts';

/** Returns the words of a chapter that the pages show. */
export const tellChapter = (chapter: Chapter) => ({
  name: chapter.name,
  question: chapter.question,
  session: chapter.session,
  ledger: chapter.ledger,
  afterwards: chapter.afterwards,
  race: {
    kind: chapter.race.kind,
    capacity: chapter.race.usual.capacity,
    /** The word for the capacity, such as `tasks`. */
    of: chapter.race.capacityOption,
    /** The names of the counts in a race with crashes. The first count has the good results. */
    counts: chapter.race.kind === 'crashes' ? chapter.race.counts : [],
  },
  faults: chapter.faults.map(({ name, inWords, dare }) => ({ name, inWords, dare })),
  promises: Object.entries(chapter.promises).map(([name, { brokenBy }]) => ({
    name,
    facts: brokenBy.map(({ fact }) => fact),
    brokenBy: brokenBy.map(({ name }) => name),
  })),
});
export type ToldChapter = ReturnType<typeof tellChapter>;

export const toldChapters: readonly ToldChapter[] = chapters.map(tellChapter);

/** Makes the routes that return the chapters, all strategies, and one strategy with its sources. */
export function syllabusRoutes() {
  const texts = readTexts();
  const answer = (c: Context<Env>, address: string) => {
    const found = findStrategy(address);
    return typeof found === 'string'
      ? problem(noSuchStrategy(found))
      : c.json(readEntry(found, texts), 200);
  };
  const routes = newRoutes()
    .get('/chapters', (c) => c.json(toldChapters))
    .get('/strategies', (c) => c.json(readSyllabus()))
    .get('/strategies/:name', (c) => answer(c, c.req.param('name')))
    .get('/strategies/:chapter/:name', (c) => {
      const { chapter, name } = c.req.param();
      return answer(c, `${chapter}/${name}`);
    });
  for (const path of [
    '/chapters',
    '/strategies',
    '/strategies/:name',
    '/strategies/:chapter/:name',
  ])
    routes.all(path, () => methodNotAllowed('GET, HEAD'));
  return routes;
}

export type SyllabusRoutes = ReturnType<typeof syllabusRoutes>;
