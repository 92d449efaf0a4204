import { useState } from 'hono/jsx/dom';
import { useStore } from '../../../pages/parts/store.ts';
import { useEffect } from '../../../pages/parts/use-effect.ts';
import { type EntryWithSources, readStrategy, type SyllabusEntry } from '../api.ts';
import { PlaceLink } from '../link.tsx';
import { chapterOf, entryAt, type PartProps } from '../part.ts';
import { firstSituation } from '../play/question.ts';
import { VerdictMark } from '../verdict.tsx';
import { guesses, isHidden, showAll } from './guesses.ts';
import { Guessed, Guessing, VERDICT } from './guessing.tsx';
import { Proofs } from './proofs.tsx';
import { SourceFile, withoutVerdict } from './source-file.tsx';
import { StrategyList } from './strategy-list.tsx';

/** Lists every strategy, and shows one strategy with its proofs and its source code. */
export function Syllabus(props: PartProps) {
  const { place, strategies } = props;
  const entry = entryAt(strategies, place.strategy);
  const { name, question, session, afterwards } = chapterOf(props, entry);
  const { all } = useStore(guesses);
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
      <p class="row all-verdicts">
        <button type="button" onClick={() => showAll(!all)}>
          {all ? 'Hide the verdicts' : 'Show all verdicts'}
        </button>
        {!all && <span class="muted">A verdict appears when you predict it.</span>}
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
  const hidden = isHidden(useStore(guesses), entry);
  const chapter = chapterOf({ chapters }, entry);
  const pledge = chapter.promises.find((each) => each.name === promise);
  return (
    <article class="strategy" aria-labelledby="strategy-name">
      <h3 id="strategy-name">{name}</h3>
      {/* Some ideas give the verdict away, such as `…: deadlocks`. */}
      {!hidden && <p class="idea">{idea}</p>}
      {hidden ? (
        <Guessing entry={entry} />
      ) : (
        <p id={VERDICT} tabindex={-1}>
          {pledge
            ? `It promises: ${pledge.facts.join(', ')}. `
            : 'It makes no promise, so nobody may rely on it. '}
          The runs of every schedule say: <VerdictMark verdict={verdict} />.{' '}
          <Guessed entry={entry} />
        </p>
      )}
      {missing === null ? (
        <Ways place={place} go={go} entry={entry} />
      ) : (
        <p role="note">This server cannot run it. {missing}</p>
      )}
      {!hidden && <Proofs place={place} go={go} entry={entry} chapter={chapter} />}
      {failure && <p role="alert">The source code cannot be shown: {failure}</p>}
      {sources.toReversed().map((source) => (
        <SourceFile key={source.path} source={hidden ? withoutVerdict(source) : source} />
      ))}
    </article>
  );
}

const Ways = ({ place, go, entry }: Pick<PartProps, 'place' | 'go'> & { entry: SyllabusEntry }) => (
  <p class="ways">
    <PlaceLink
      place={place}
      go={go}
      to={{ view: 'play', situation: firstSituation(entry), schedule: [] }}
    >
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
