import { z } from 'zod';
import { CHOICE } from '../../explorer/choice.ts';
import { newRoutes } from '../../service/http/new-routes.ts';
import { methodNotAllowed } from '../../service/http/problems.ts';
import { readBuiltLessons } from '../lessons/lesson.ts';
import { sendRun } from '../sandbox/run-http.ts';
import { Mistake } from '../sandbox/statements.ts';
import { rulesOf } from './attempt-script.ts';
import { MOST_CHARACTERS } from './script.ts';
import { type ScriptDeps, ScriptRuns } from './script-runs.ts';

const LESSON = 'is the number of a lesson';
const TEXT = `is a text of at most ${MOST_CHARACTERS} characters`;
const SCHEDULE = 'is a list of at most 200 choices such as ["1", "2"]';

const script = z.strictObject({
  lesson: z.int(LESSON).min(1, LESSON).max(99, LESSON),
  text: z.string(TEXT).max(MOST_CHARACTERS, TEXT),
});

const scheduleOfScript = script.extend({
  situation: z.string('is the name of a situation').max(60, 'is the name of a situation'),
  schedule: z.array(z.string(SCHEDULE).regex(CHOICE, SCHEDULE), SCHEDULE).max(200, SCHEDULE),
});

/**
 * Makes the routes for scripts of SQL in lessons. POST to `/scripts` tries a script, and POST to
 * `/scripts/plays` plays one schedule of it. Both send the events `queued`, `progress`, `done` and
 * `failed`, and a trial also sends `first`.
 */
export function scriptRoutes(deps: ScriptDeps) {
  const lessons = new Map(
    readBuiltLessons()
      .filter(({ sql }) => sql !== null)
      .map((lesson) => [lesson.number, lesson]),
  );
  const runs = new ScriptRuns(deps);
  const lessonOf = (number: number) => {
    const lesson = lessons.get(number);
    if (lesson) return lesson;
    const known = [...lessons.keys()].join(', ');
    throw new Mistake(`Lesson ${number} has no script. The lessons with a script are ${known}.`);
  };
  const routes = newRoutes()
    .get('/scripts', (c) => {
      // People who open a lesson soon try a script, so we prepare a server now.
      runs.warmUp();
      const rules = [...lessons.values()].map(({ number, exercise }) => ({
        ...{ lesson: number, most: MOST_CHARACTERS },
        ...rulesOf(exercise),
      }));
      return c.json(rules);
    })
    .post('/scripts', (c) =>
      sendRun(c, script, ({ lesson, text }, caller) =>
        runs.attempt({ lesson: lessonOf(lesson), text }, caller),
      ),
    )
    .post('/scripts/plays', (c) =>
      sendRun(c, scheduleOfScript, ({ lesson, ...asked }, caller) =>
        runs.play({ lesson: lessonOf(lesson), ...asked }, caller),
      ),
    );
  routes.all('/scripts', () => methodNotAllowed('GET, HEAD, POST'));
  routes.all('/scripts/plays', () => methodNotAllowed('POST'));
  return routes;
}

export type ScriptRoutes = ReturnType<typeof scriptRoutes>;
