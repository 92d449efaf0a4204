import { seededDice } from '../dice.ts';
import type { Stage } from '../scenario.ts';
import { askOddly, type Expect } from './odd-callers.ts';
import { RawClient } from './raw.ts';
import { StreamClients } from './stream-clients.ts';

const ODD_CALLERS = 8;
const FOLLOWERS = 4;

/** A busy service may give these answers to any request. */
const ALWAYS_EXPECTED = ['503 busy', '429'];

/** Runs odd callers and followers on the first server until `done` is aborted. */
export async function crowd({ servers, load, ledger }: Stage, done: AbortSignal) {
  const client = new RawClient(servers[0]?.url ?? '');
  const expectAnswer: Expect = (name, to, answers) => {
    load.count(name);
    const isExpected = [...answers, ...ALWAYS_EXPECTED].some((each) => name.startsWith(each));
    if (!isExpected)
      ledger.add({
        promise: 'the server answers',
        what: `${to.slice(0, 100)} was answered ${name}`,
      });
  };
  const clients = new StreamClients(client, expectAnswer, done);
  const callOddly = async (name: string) => {
    const dice = seededDice(name);
    while (!done.aborted) await askOddly(client, dice, expectAnswer);
  };
  try {
    await Promise.all([
      ...namesOf('caller', ODD_CALLERS).map(callOddly),
      ...namesOf('follower', FOLLOWERS).map((name) => clients.followOften(seededDice(name))),
    ]);
  } finally {
    client.close();
  }
}

const namesOf = (what: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${what} ${n}`);
