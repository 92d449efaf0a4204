import { newRoutes } from '../../service/http/new-routes.ts';
import { methodNotAllowed } from '../../service/http/problems.ts';
import { type Lesson, readBuiltLessons } from './lesson.ts';

/** A lesson as visitors of the pages read it. All texts are Markdown. */
export type ToldLesson = Pick<
  Lesson,
  | 'number'
  | 'title'
  | 'goal'
  | 'minutes'
  | 'question'
  | 'task'
  | 'inBrowser'
  | 'hints'
  | 'sql'
  | 'whatYouSaw'
>;

/** Returns a lesson without its part for the teacher. */
export const tellLesson = (lesson: Lesson): ToldLesson => {
  const { number, title, goal, minutes, question, task, inBrowser, hints, sql, whatYouSaw } =
    lesson;
  return { number, title, goal, minutes, question, task, inBrowser, hints, sql, whatYouSaw };
};

/** Makes the route that returns the lessons without their parts for the teacher. */
export function lessonRoutes() {
  const lessons = readBuiltLessons().map(tellLesson);
  const routes = newRoutes().get('/lessons', (c) => c.json(lessons));
  routes.all('/lessons', () => methodNotAllowed('GET, HEAD'));
  return routes;
}

export type LessonRoutes = ReturnType<typeof lessonRoutes>;
