import type { SyllabusEntry, ToldChapter } from '../api.ts';
import { PlaceLink } from '../link.tsx';
import type { PartProps } from '../part.ts';
import { PROVEN_FOR } from '../play/outcome.ts';
import { inWords } from '../verdict.tsx';

interface ProofsProps extends Pick<PartProps, 'place' | 'go'> {
  entry: SyllabusEntry;
  chapter: ToldChapter;
}

/** Shows the proof in each situation, and a link to a schedule with the gravest fault. */
export function Proofs({ place, go, entry, chapter }: ProofsProps) {
  if (entry.situations.length === 0) return null;
  return (
    <table class="findings">
      <caption class="unseen">The result of every schedule</caption>
      <thead>
        <tr>
          <th scope="col">Situation</th>
          <th scope="col">Every schedule</th>
          <th scope="col">Proof</th>
        </tr>
      </thead>
      <tbody>
        {entry.situations.map((proof) => {
          const { name, idea, clearest } = proof;
          const gravest = chapter.faults.find((fault) => clearest[fault.name]);
          const shown = gravest && clearest[gravest.name];
          const schedule = shown?.split(',') ?? [];
          const to = {
            view: 'play',
            situation: situationIn(entry, name),
            sessions: PROVEN_FOR,
            schedule,
          } as const;
          return (
            <tr key={name}>
              <th scope="row">{idea}</th>
              <td class={markOf(proof, shown)}>{inWords(chapter, proof)}</td>
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

/**
 * Returns the style class of a proof. A student's own strategy has situations that nobody has
 * explored yet. Such a situation has no class.
 */
const markOf = ({ schedules }: SyllabusEntry['situations'][number], shown: string | undefined) =>
  schedules === 0 ? '' : shown ? 'bad' : 'good';

/**
 * Returns the name of a situation for an address. The first situation is the default and needs no
 * name.
 */
const situationIn = ({ situations }: SyllabusEntry, name: string): string =>
  name === situations[0]?.name ? '' : name;
