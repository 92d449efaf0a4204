import { Choose } from './choose.tsx';
import type { PartProps } from './part.ts';

export function Play({ place, go, strategies }: PartProps) {
  return (
    <>
      <h2>Play the scheduler</h2>
      <Choose place={place} go={go} strategies={strategies} />
      <p>{place.schedule.join()}</p>
    </>
  );
}
