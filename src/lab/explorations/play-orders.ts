import { type Exploration, explore } from '../../explorer/explore.ts';
import type { Stage } from '../../explorer/stage.ts';
import { type Explorable, type Situation, type Strategy, sessionsIn } from '../chapter.ts';
import { type Order, orderOf, sorted } from './orders.ts';

/** The maximum number of orders of a map. */
const MOST_ORDERS = 500;
const SESSIONS = 2;

/** The orders of one situation. */
export interface PlayedOrders {
  situation: string;
  /** The situation in words, such as `one slot is left`. */
  idea: string;
  orders: Order[];
  /** Whether there are no other orders. */
  isComplete: boolean;
}

/** Plays the orders of one situation, for a map: by default of two sessions, and at most 500. */
export async function playOrders(
  stage: Stage,
  { chapter, strategy }: { chapter: Explorable; strategy: Strategy },
  situation: Situation,
): Promise<{ map: PlayedOrders; found: Exploration }> {
  const orders: Order[] = [];
  const trial = chapter.trial(strategy, situation, sessionsIn(situation, SESSIONS));
  const found = await explore(stage, trial, {
    most: MOST_ORDERS,
    onPlayed: (played) => orders.push(orderOf(chapter.faults, played)),
  });
  const { name, idea } = situation;
  const { isComplete } = found;
  return { map: { situation: name, idea, orders: sorted(orders), isComplete }, found };
}
