export const views = ['syllabus', 'play', 'explore', 'race'] as const;
export type View = (typeof views)[number];

/** A place in the lab. All of it stands in the address of the page, so every address is a permalink. */
export interface Place {
  view: View;
  /** The address of a strategy, or a name alone, as permalinks had it once. */
  strategy: string;
  situation: string;
  sessions: number;
  /** Choices of the scheduler, as in transcripts. */
  schedule: string[];
  /** How many steps of a counterexample are shown. Null if no exploration is wanted. */
  step: number | null;
  /** The strategy that races beside it. Empty for none. */
  beside: string;
  recruiters: number;
  rounds: number;
}

export const HOME: Place = {
  view: 'play',
  strategy: 'claims/naive',
  situation: '',
  sessions: 2,
  schedule: [],
  step: null,
  beside: 'claims/row-lock',
  recruiters: 8,
  rounds: 5,
};

/** The place in the query of an address. The service checks the names. */
export function readPlace(search: string): Place {
  const query = new URLSearchParams(search);
  const schedule = (query.get('schedule') ?? '').split(',').filter((step) => step !== '');
  const seen = schedule.map(Number).filter((number) => number >= 2);
  return {
    view: views.find((view) => view === query.get('view')) ?? HOME.view,
    strategy: query.get('strategy') ?? HOME.strategy,
    // Permalinks had `scenario` once.
    situation: query.get('situation') ?? query.get('scenario') ?? HOME.situation,
    sessions: Number(query.get('sessions')) || Math.max(HOME.sessions, ...seen),
    schedule,
    step: query.has('step') ? Number(query.get('step')) || 0 : null,
    beside: query.get('beside') ?? HOME.beside,
    recruiters: Number(query.get('recruiters')) || HOME.recruiters,
    rounds: Number(query.get('rounds')) || HOME.rounds,
  };
}

/** The address of a place, from the page itself. It leaves out everything as at home but the strategy. */
export function hrefOf(place: Place): string {
  const { view, strategy, situation, sessions, schedule, step } = place;
  const query = new URLSearchParams({ strategy });
  if (view !== HOME.view) query.set('view', view);
  if (situation !== HOME.situation) query.set('situation', situation);
  if (sessions !== HOME.sessions) query.set('sessions', String(sessions));
  if (schedule.length > 0) query.set('schedule', schedule.join());
  if (view === 'explore' && step !== null) query.set('step', String(step));
  if (view === 'race')
    for (const name of ['beside', 'recruiters', 'rounds'] as const)
      if (place[name] !== HOME[name]) query.set(name, String(place[name]));
  return `?${String(query).replaceAll('%2C', ',').replaceAll('%2F', '/')}`;
}

/** Goes to another place, by the differences to this one. */
export type Go = (change: Partial<Place>) => void;
