export const views = ['syllabus', 'play', 'explore', 'race'] as const;
export type View = (typeof views)[number];

/** Where somebody is in the lab: all of it stands in the address, so every address is a permalink. */
export interface Place {
  view: View;
  strategy: string;
  scenario: string;
  sessions: number;
  /** Choices of the scheduler, as in transcripts. */
  schedule: string[];
  /** How far the counterexample of an exploration is shown; null where none was asked for. */
  step: number | null;
  /** What races beside the strategy; empty for nothing. */
  beside: string;
  recruiters: number;
  rounds: number;
}

export const HOME: Place = {
  view: 'play',
  strategy: 'naive',
  scenario: 'last-slot',
  sessions: 2,
  schedule: [],
  step: null,
  beside: 'row-lock',
  recruiters: 8,
  rounds: 5,
};

/** The place that the query of an address names. Names are taken as they come: the service knows them. */
export function readPlace(search: string): Place {
  const query = new URLSearchParams(search);
  const schedule = (query.get('schedule') ?? '').split(',').filter((step) => step !== '');
  const seen = schedule.map(Number).filter((number) => number >= 2);
  return {
    view: views.find((view) => view === query.get('view')) ?? HOME.view,
    strategy: query.get('strategy') ?? HOME.strategy,
    scenario: query.get('scenario') ?? HOME.scenario,
    sessions: Number(query.get('sessions')) || Math.max(HOME.sessions, ...seen),
    schedule,
    step: query.has('step') ? Number(query.get('step')) || 0 : null,
    beside: query.get('beside') ?? HOME.beside,
    recruiters: Number(query.get('recruiters')) || HOME.recruiters,
    rounds: Number(query.get('rounds')) || HOME.rounds,
  };
}

/** The address of a place, from the page itself; what is as at home is left out, but not the strategy. */
export function hrefOf(place: Place): string {
  const { view, strategy, scenario, sessions, schedule, step } = place;
  const query = new URLSearchParams({ strategy });
  if (view !== HOME.view) query.set('view', view);
  if (scenario !== HOME.scenario) query.set('scenario', scenario);
  if (sessions !== HOME.sessions) query.set('sessions', String(sessions));
  if (schedule.length > 0) query.set('schedule', schedule.join());
  if (view === 'explore' && step !== null) query.set('step', String(step));
  if (view === 'race')
    for (const name of ['beside', 'recruiters', 'rounds'] as const)
      if (place[name] !== HOME[name]) query.set(name, String(place[name]));
  return `?${String(query).replaceAll('%2C', ',')}`;
}

/** Goes to a place that differs from the one where one is. */
export type Go = (change: Partial<Place>) => void;
