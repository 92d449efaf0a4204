import { pause } from '../../../src/platform/waiting/backoff.ts';
import { until } from '../../../src/platform/waiting/until.ts';
import { type Request, send } from '../ask.ts';
import type { Dice } from '../dice.ts';
import { type Lines, lapseOffers, takeTurn } from '../line-crowd.ts';
import type { Stage } from '../scenario.ts';
import type { Operator } from './operator.ts';

/** The longest pause of a recruiter between two turns. Each turn makes several messages. */
const LONGEST_PAUSE_MS = 1_000;
const REST_LOOK_MS = 50;

/**
 * Runs `work` while recruiters wait in lines, and while some of their offers lapse. The recruiters
 * pause while the load pauses. Resolves after their last answer. Later events come only from leases
 * that end.
 */
export async function whileSomeWait<T>(
  stage: Stage,
  { jobIds, recruiterIds }: Lines,
  operator: Operator,
  dice: Dice,
  work: () => Promise<T>,
): Promise<T> {
  const { servers } = stage;
  const ending = new AbortController();
  const { signal } = ending;
  const ask = async (request: Request) => {
    const reply = await send(servers[0]?.url ?? '', request);
    return reply.kind === 'answer' && reply.status < 500 ? reply.body : undefined;
  };
  const mayGoOn = () => signal.aborted || operator.isBehind();
  const crowd = recruiterIds.map(async (id) => {
    while (!signal.aborted) {
      await until(mayGoOn, { everyMs: REST_LOOK_MS });
      await pause(dice.below(LONGEST_PAUSE_MS), signal);
      if (!signal.aborted) await takeTurn(id, jobIds, ask, dice);
    }
  });
  const lapses = lapseOffers(stage.databaseUrl, signal);
  try {
    return await work();
  } finally {
    ending.abort();
    await Promise.all([...crowd, lapses]);
  }
}
