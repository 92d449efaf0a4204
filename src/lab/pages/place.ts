export const views = ['lessons', 'syllabus', 'play', 'explore', 'race', 'sandbox'] as const;
export type View = (typeof views)[number];

/**
 * A place in the lab. The address of the page contains the whole place, so every address is a
 * permalink.
 */
export interface Place {
  view: View;
  /** The number of the lesson whose goal the other parts show and check. 0 if there is none. */
  lesson: number;
  /** The address of a strategy. Old permalinks have only its name. */
  strategy: string;
  situation: string;
  sessions: number;
  /** Choices of the scheduler, as in transcripts. */
  schedule: string[];
  /** How many steps of a counterexample are shown. Null if no exploration is wanted. */
  step: number | null;
  /** A second strategy for the race. Empty if there is none. */
  beside: string;
  recruiters: number;
  rounds: number;
}

export const HOME: Place = {
  view: 'play',
  lesson: 0,
  strategy: 'claims/naive',
  situation: '',
  sessions: 2,
  schedule: [],
  step: null,
  beside: 'claims/row-lock',
  recruiters: 8,
  rounds: 5,
};

/**
 * Returns the number of the session in a choice such as `1` or `k1`. Returns 0 for a choice without a
 * session, such as `t`.
 */
export const sessionIn = (choice: string): number => Number(/\d+/.exec(choice)?.[0] ?? 0);

/** A step number that shows a whole counterexample, because no schedule has so many steps. */
export const FROM_THE_END = 999;

/**
 * Reads the place from the query of an address. The service checks the names. An address with
 * neither a view nor a strategy opens the lessons. An address with a strategy and no view opens
 * Play.
 */
export function readPlace(search: string): Place {
  const query = new URLSearchParams(search);
  const schedule = (query.get('schedule') ?? '').split(',').filter((step) => step !== '');
  const seen = schedule.map(sessionIn).filter((number) => number >= 2);
  return {
    view:
      views.find((view) => view === query.get('view')) ??
      (query.has('strategy') ? HOME.view : 'lessons'),
    lesson: Number(query.get('lesson')) || HOME.lesson,
    strategy: current(query.get('strategy') ?? HOME.strategy),
    // Old permalinks have `scenario`.
    situation: query.get('situation') ?? query.get('scenario') ?? HOME.situation,
    sessions: Number(query.get('sessions')) || Math.max(HOME.sessions, ...seen),
    schedule,
    step: query.has('step') ? Number(query.get('step')) || 0 : null,
    beside: current(query.get('beside') ?? HOME.beside),
    recruiters: Number(query.get('recruiters')) || HOME.recruiters,
    rounds: Number(query.get('rounds')) || HOME.rounds,
  };
}

/**
 * Returns the present name of a strategy. In old permalinks, `production` has the name
 * `group-commit`.
 */
const current = (strategy: string) => (strategy === 'group-commit' ? 'production' : strategy);

/**
 * Returns the address of a place, relative to the page. The address of a lesson has only the number
 * of the lesson. All other addresses have the strategy, and leave out values that are the same as
 * in `HOME`.
 */
export function hrefOf(place: Place): string {
  const { view, lesson, strategy, situation, sessions, schedule, step } = place;
  if (view === 'lessons')
    return `?view=lessons${lesson === HOME.lesson ? '' : `&lesson=${lesson}`}`;
  const query = new URLSearchParams({ strategy });
  if (view !== HOME.view) query.set('view', view);
  if (situation !== HOME.situation) query.set('situation', situation);
  if (sessions !== HOME.sessions) query.set('sessions', String(sessions));
  if (schedule.length > 0) query.set('schedule', schedule.join());
  if (view === 'explore' && step !== null) query.set('step', String(step));
  if (view === 'race')
    for (const name of ['beside', 'recruiters', 'rounds'] as const)
      if (place[name] !== HOME[name]) query.set(name, String(place[name]));
  if (lesson !== HOME.lesson) query.set('lesson', String(lesson));
  return `?${String(query).replaceAll('%2C', ',').replaceAll('%2F', '/')}`;
}

/** Goes to another place. `change` has only the values that are different there. */
export type Go = (change: Partial<Place>) => void;
