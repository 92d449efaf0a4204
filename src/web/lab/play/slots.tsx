import type { PlayState } from '../api.ts';

/** Recruiters with higher numbers hold their slot since before the game. */
const LAST_PLAYER = 3;

/** ●●●○, as the committed table has it; what is over the capacity stands out. */
export function Slots({ standing: { capacity, holders } }: Pick<PlayState, 'standing'>) {
  const places = Math.max(capacity, holders.length);
  return (
    <>
      <p class={holders.length > capacity ? 'slots over' : 'slots'}>
        <span class="dots" aria-hidden="true">
          {Array.from({ length: places }, (_, index) => (
            <span key={index} class={`dot ${kindOf(index, capacity, holders)}`} />
          ))}
        </span>
        {count(holders.length, 'claim')} committed, {count(capacity, 'slot')}
      </p>
      <p class="holders">{holders.length === 0 ? 'Nobody holds the job.' : sayHolders(holders)}</p>
    </>
  );
}

const count = (many: number, what: string) => `${many} ${what}${many === 1 ? '' : 's'}`;

function kindOf(index: number, capacity: number, holders: number[]): string {
  const holder = holders[index];
  if (holder === undefined) return 'free';
  const whose = holder <= LAST_PLAYER ? `s${holder}` : 'earlier';
  return index < capacity ? whose : `${whose} excess`;
}

function sayHolders(holders: number[]): string {
  const earlier = holders.filter((holder) => holder > LAST_PLAYER).length;
  const players = holders.filter((holder) => holder <= LAST_PLAYER);
  return [
    ...(earlier ? [`${earlier} from before`] : []),
    ...players.map((player) => `Recruiter ${player}`),
  ].join(', ');
}
