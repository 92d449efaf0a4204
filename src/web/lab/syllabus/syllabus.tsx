import { useState } from 'hono/jsx/dom';
import { useEffect } from '../../parts/use-effect.ts';
import { type EntryWithSources, readStrategy } from '../api.ts';
import { PlaceLink } from '../link.tsx';
import type { PartProps } from '../part.ts';
import { Verdict } from '../verdict.tsx';
import { Findings } from './findings.tsx';
import { SourceFile } from './source-file.tsx';
import { StrategyList } from './strategy-list.tsx';

/** Every strategy; and one of them, with all that is known of it. */
export function Syllabus({ place, go, strategies }: PartProps) {
  return (
    <>
      <h2>Syllabus</h2>
      <p class="lead">
        A job takes four recruiters. Here are {strategies.length} ways to claim a slot, in the order
        in which the workshop meets them, and what is proven of each: every order of two recruiters’
        statements was played on a real PostgreSQL.
      </p>
      <div class="syllabus">
        <StrategyList place={place} go={go} strategies={strategies} />
        <OneStrategy key={place.strategy} place={place} go={go} strategies={strategies} />
      </div>
    </>
  );
}

function OneStrategy({ place, go, strategies }: PartProps) {
  const [sources, setSources] = useState<EntryWithSources['sources']>([]);
  const [failure, setFailure] = useState('');
  const entry = strategies.find(({ name }) => name === place.strategy);
  useEffect(() => {
    readStrategy(place.strategy).then(
      (read) => setSources(read.sources),
      (error: Error) => setFailure(error.message),
    );
  }, [place.strategy]);
  if (!entry) return <p role="alert">There is no strategy {place.strategy}.</p>;
  const { name, idea, promise, verdict } = entry;
  return (
    <article class="strategy" aria-labelledby="strategy-name">
      <h3 id="strategy-name">{name}</h3>
      <p class="idea">{idea}</p>
      <p>
        Promises {promise === 'capacity' ? 'never more claims than slots' : 'nothing'};{' '}
        <Verdict verdict={verdict} />.
      </p>
      <p class="ways">
        <PlaceLink place={place} go={go} to={{ view: 'play', schedule: [] }}>
          Play it
        </PlaceLink>
        <PlaceLink place={place} go={go} to={{ view: 'explore', step: null }}>
          Explore it
        </PlaceLink>
        <PlaceLink place={place} go={go} to={{ view: 'race' }}>
          Race it
        </PlaceLink>
      </p>
      <Findings place={place} go={go} entry={entry} />
      {failure && <p role="alert">The source code did not come: {failure}</p>}
      {sources.toReversed().map((source) => (
        <SourceFile key={source.path} source={source} />
      ))}
    </article>
  );
}
