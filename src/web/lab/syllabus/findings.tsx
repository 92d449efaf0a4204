import type { Entry } from '../api.ts';
import { PlaceLink } from '../link.tsx';
import type { PartProps } from '../part.ts';
import { inWords } from '../verdict.tsx';

/** What was found in each situation, and the schedule that shows the worst of it. */
export function Findings({ place, go, entry }: Omit<PartProps, 'strategies'> & { entry: Entry }) {
  if (entry.settings.length === 0) return null;
  return (
    <table class="findings">
      <caption class="unseen">What every schedule of two recruiters comes to</caption>
      <thead>
        <tr>
          <th scope="col">Situation</th>
          <th scope="col">Every schedule</th>
          <th scope="col">Proof</th>
        </tr>
      </thead>
      <tbody>
        {entry.settings.map(({ name, idea, schedules, faults, clearest }) => {
          const [shown] = Object.values(clearest);
          const schedule = shown?.split(',') ?? [];
          const to = { view: 'play', scenario: name, sessions: 2, schedule } as const;
          return (
            <tr key={name}>
              <th scope="row">{idea}</th>
              <td class={shown ? 'bad' : 'good'}>{inWords(schedules, faults)}</td>
              <td>
                {shown ? (
                  <PlaceLink place={place} go={go} to={to}>
                    play {schedule.length} steps<span class="unseen"> of it: {idea}</span>
                  </PlaceLink>
                ) : (
                  <PlaceLink place={place} go={go} to={{ ...to, view: 'explore', step: 0 }}>
                    run them<span class="unseen">: {idea}</span>
                  </PlaceLink>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
