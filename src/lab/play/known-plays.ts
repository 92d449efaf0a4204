import type { Stages } from '../stages/stages.ts';
import { type PlayRequest, type PlayState, play } from './play.ts';

/** The maximum number of states that we remember. The state after a schedule takes about 10 kB. */
const MOST_KNOWN = 500;

type Given = Awaited<ReturnType<typeof playOn>>;

/**
 * Plays schedules, and remembers the states after them. The same schedule of two sessions always
 * has the same state. Callers who ask for the same schedule at the same time share one play. So a
 * class that makes the same step together waits for one play only.
 */
export class KnownPlays {
  readonly #stages: Stages;
  readonly #known = new Map<string, Promise<Given>>();

  constructor(stages: Stages) {
    this.#stages = stages;
  }

  async play(request: PlayRequest): Promise<Given> {
    // PostgreSQL may wake three sessions in any order. So the same schedule does not always have
    // the same state.
    if ((request.situation.sessions ?? request.sessions) > 2) return playOn(this.#stages, request);
    const key = keyOf(request);
    const known = this.#known.get(key) ?? this.#begin(key, request);
    return known;
  }

  #begin(key: string, request: PlayRequest): Promise<Given> {
    const playing = playOn(this.#stages, request);
    this.#known.set(key, playing);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    const forget = () => this.#known.get(key) === playing && this.#known.delete(key);
    void playing.then((given) => isSure(given) || forget(), forget);
    return playing;
  }
}

const playOn = (stages: Stages, request: PlayRequest) =>
  stages.use(async (stage) => ({ done: await play(stage, request) }));

/**
 * Returns whether the result is always the same. Other results may change. A busy lab may play the
 * schedule later, and a schedule that took too long may be faster next time.
 */
const isSure = (given: Given): boolean =>
  'done' in given && typeof given.done !== 'string' && !isHang(given.done);

const isHang = ({ verdict }: PlayState): boolean => verdict?.startsWith('hang') ?? false;

const keyOf = ({ chapter, strategy, situation, sessions, schedule }: PlayRequest): string =>
  JSON.stringify([chapter.name, strategy.name, situation.name, sessions, schedule]);
