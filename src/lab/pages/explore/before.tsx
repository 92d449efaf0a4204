import type { SyllabusEntry, ToldChapter } from '../api.ts';
import { provenOf } from '../play/outcome.ts';

/**
 * Returns all orders of `first` steps of session 1 and `second` steps of session 2, such as
 * `112122`.
 */
const ordersOf = (first: number, second: number): string[] =>
  first + second === 0
    ? ['']
    : [
        ...(first > 0 ? ordersOf(first - 1, second).map((rest) => `1${rest}`) : []),
        ...(second > 0 ? ordersOf(first, second - 1).map((rest) => `2${rest}`) : []),
      ];

const STEPS = 3;
const orders = ordersOf(STEPS, STEPS);

interface BeforeProps {
  chapter: ToldChapter;
  proof: SyllabusEntry['situations'][number] | undefined;
}

/**
 * Draws all schedules of a small example before the first run. The known result is shown only if
 * the visitor asks.
 */
export const Before = ({ chapter, proof }: BeforeProps) => (
  <section class="before" aria-labelledby="before">
    <h3 id="before">What a run does</h3>
    <p>
      Each strip is one order of six steps: three of S1, and three of S2. There are {orders.length}{' '}
      such orders. A run plays each order to its end, and then looks at the tables. Other strategies
      have more steps. A lock makes some orders impossible.
    </p>
    <div class="orders" aria-hidden="true">
      {orders.map((order) => (
        <span key={order} class="order">
          {[...order].map((session, index) => (
            <span key={index} class={`s${session}`}>
              {session}
            </span>
          ))}
        </span>
      ))}
    </div>
    {proof && (
      <details>
        <summary>What did an earlier run find?</summary>
        <p>{provenOf(proof, chapter)}</p>
      </details>
    )}
  </section>
);
