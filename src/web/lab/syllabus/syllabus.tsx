import { useState } from 'hono/jsx/dom';
import { useEffect } from '../../parts/use-effect.ts';
import { type EntryWithSources, readStrategy, type SyllabusEntry } from '../api.ts';
import { PlaceLink } from '../link.tsx';
import { chapterOf, entryAt, type PartProps } from '../part.ts';
import { VerdictMark } from '../verdict.tsx';
import { Proofs } from './proofs.tsx';
import { SourceFile } from './source-file.tsx';
import { StrategyList } from './strategy-list.tsx';

/** Every strategy, and one of them with its proofs and its source code. */
export function Syllabus(props: PartProps) {
  const { place, strategies } = props;
  const entry = entryAt(strategies, place.strategy);
  const { name, question, session, afterwards } = chapterOf(props, entry);
  const ways = strategies.filter(({ chapter }) => chapter === name);
  return (
    <>
      <h2>Syllabus</h2>
      <p class="lead">
        {question} Here are {ways.length} ways, in the order of the workshop. Each has a proof:
        every order of the statements of two {session.many}
        {afterwards && ', with every event that the situation allows,'} was played on a real
        PostgreSQL.
      </p>
      <div class="syllabus">
        <StrategyList {...props} />
        {entry ? (
          <OneStrategy key={place.strategy} {...props} entry={entry} />
        ) : (
          <p role="alert">There is no strategy {place.strategy}.</p>
        )}
      </div>
    </>
  );
}

function OneStrategy({ place, go, chapters, entry }: PartProps & { entry: SyllabusEntry }) {
  const [sources, setSources] = useState<EntryWithSources['sources']>([]);
  const [failure, setFailure] = useState('');
  useEffect(() => {
    readStrategy(entry).then(
      (read) => setSources(read.sources),
      (error: Error) => setFailure(error.message),
    );
  }, [place.strategy]);
  const { name, idea, promise, verdict, missing } = entry;
  const chapter = chapterOf({ chapters }, entry);
  const pledge = chapter.promises.find((each) => each.name === promise);
  return (
    <article class="strategy" aria-labelledby="strategy-name">
      <h3 id="strategy-name">{name}</h3>
      <p class="idea">{idea}</p>
      <p>
        Promises {pledge?.facts.join(', ') ?? 'nothing'}; <VerdictMark verdict={verdict} />.
      </p>
      {missing === null ? (
        <Ways place={place} go={go} />
      ) : (
        <p role="note">This server cannot run it. {missing}</p>
      )}
      <Proofs place={place} go={go} entry={entry} chapter={chapter} />
      {failure && <p role="alert">The source code cannot be shown: {failure}</p>}
      {sources.toReversed().map((source) => (
        <SourceFile key={source.path} source={source} />
      ))}
    </article>
  );
}

const Ways = ({ place, go }: Pick<PartProps, 'place' | 'go'>) => (
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
);
