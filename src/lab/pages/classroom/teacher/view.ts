import { useState } from 'hono/jsx/dom';
import { useEffect } from '../../../../pages/parts/use-effect.ts';

export const screens = ['join', 'votes', 'code', 'wrong'] as const;
export type Screen = (typeof screens)[number];

/**
 * The view that the teacher has chosen. The address contains the whole view, so a reload changes
 * nothing.
 */
export interface View {
  /** The content of the big screen. Empty if the page for the desk is shown. */
  screen: Screen | '';
  lesson: number;
  /** Whether the answer to the lesson's question is shown. */
  isAnswered: boolean;
  /** The result of the wrong answer that the big screen shows. Empty for the most frequent. */
  wrong: string;
}

export const HOME: View = { screen: '', lesson: 1, isAnswered: false, wrong: '' };

export type Go = (change: Partial<View>) => void;

function readView(search: string): View {
  const query = new URLSearchParams(search);
  return {
    screen: screens.find((each) => each === query.get('screen')) ?? HOME.screen,
    lesson: Number(query.get('lesson')) || HOME.lesson,
    isAnswered: query.has('answer'),
    wrong: query.get('wrong') ?? HOME.wrong,
  };
}

function queryOf({ screen, lesson, isAnswered, wrong }: View): string {
  const query = new URLSearchParams({ lesson: String(lesson) });
  if (screen) query.set('screen', screen);
  if (isAnswered) query.set('answer', '1');
  if (wrong) query.set('wrong', wrong);
  return `?${query}`;
}

/**
 * Returns the view, and a function that changes the view. A change of the lesson hides the answer.
 */
export function useView(): [View, Go] {
  const [view, setView] = useState(() => readView(location.search));
  useEffect(() => {
    const follow = () => setView(readView(location.search));
    addEventListener('popstate', follow);
    return () => removeEventListener('popstate', follow);
  }, []);
  const go: Go = (change) => {
    const isOther = change.lesson !== undefined && change.lesson !== view.lesson;
    const next = { ...view, ...(isOther && { isAnswered: false, wrong: '' }), ...change };
    history.pushState(null, '', queryOf(next));
    setView(next);
  };
  return [view, go];
}
