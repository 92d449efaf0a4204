import { newRoutes } from '../../http/new-routes.ts';
import { methodNotAllowed } from '../../http/problems.ts';
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
  | 'whatYouSaw'
>;

const told = (lesson: Lesson): ToldLesson => {
  const { number, title, goal, minutes, question, task, inBrowser, hints, whatYouSaw } = lesson;
  return { number, title, goal, minutes, question, task, inBrowser, hints, whatYouSaw };
};

/** The lessons. The part for the teacher is not told. */
export function lessonRoutes() {
  const lessons = readBuiltLessons().map(told);
  const routes = newRoutes().get('/lessons', (c) => c.json(lessons));
  routes.all('/lessons', () => methodNotAllowed('GET, HEAD'));
  return routes;
}

export type LessonRoutes = ReturnType<typeof lessonRoutes>;
