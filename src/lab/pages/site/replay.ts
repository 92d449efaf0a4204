import { transcript } from '../../../explorer/transcript.ts';
import type { Order } from '../../explorations/orders.ts';
import type { PlayState } from '../../play/play.ts';
import type { PARTS, Packed, RecordedState, Recording, StateParts } from '../../site/recording.ts';

/** Returns the value that `pack` has packed. */
export async function unpack(text: Packed): Promise<unknown> {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return await new Response(stream).json();
}

/** The names of the parts, in the order of a recorded state. */
const names: typeof PARTS = ['end', 'sessions', 'choices', 'database', 'rest'];

/**
 * Returns the state after a schedule. Returns the number of the first step, from 1, that is not
 * recorded.
 */
export function stateAfter(
  recording: Recording,
  situation: string,
  schedule: readonly string[],
): PlayState | number {
  let state = firstOf(recording, situation);
  let steps = state[1];
  for (const [index, choice] of schedule.entries()) {
    const next = state[3][choice];
    if (next === undefined) return index + 1;
    state = recording.states[next] as RecordedState;
    steps = [...steps.slice(0, state[0]), ...state[1]];
  }
  return readState(recording, state, steps, [...schedule]);
}

function firstOf({ states, situations }: Recording, situation: string): RecordedState {
  const first = states[situations[situation]?.first ?? -1];
  if (!first) throw new Error(`The situation ${situation} is not recorded.`);
  return first;
}

function readState(
  { values }: Recording,
  [, , parts]: RecordedState,
  steps: readonly number[],
  schedule: string[],
): PlayState {
  const read = Object.fromEntries(names.map((name, index) => [name, values[parts[index] ?? -1]]));
  const { end, sessions, choices, database, rest } = read as unknown as StateParts;
  const told = {
    ...end,
    schedule,
    steps: steps.map((step) => values[step]) as PlayState['told']['steps'],
  };
  return {
    told: { ...told, transcript: transcript(told) },
    sessions,
    choices,
    ...database,
    ...rest,
  };
}

/** Returns all orders of a situation, sorted. `faults` begins with the gravest fault. */
export function ordersIn(
  recording: Recording,
  situation: string,
  faults: readonly { name: string }[],
): Order[] {
  const orders: Order[] = [];
  const add = ([, , parts, next]: RecordedState, schedule: string[]) => {
    const ways = Object.entries(next);
    for (const [choice, index] of ways)
      add(recording.states[index] as RecordedState, [...schedule, choice]);
    if (ways.length > 0) return;
    const { faults: found } = recording.values[parts[0] ?? -1] as StateParts['end'];
    const gravest = faults.find(({ name }) => found.includes(name))?.name ?? '';
    orders.push({ schedule: schedule.join(), fault: gravest });
  };
  add(firstOf(recording, situation), []);
  return orders;
}
