import { useRef, useState } from 'hono/jsx/dom';
import { token, tokenWanted } from '../../pages/parts/token.ts';
import { useEffect } from '../../pages/parts/use-effect.ts';
import { listChapters, listLessons, listStrategies } from './api.ts';
import { Explore } from './explore/explore.tsx';
import { focusOnIfLost } from './focus.ts';
import { Lessons } from './lessons/lessons.tsx';
import { PlaceLink } from './link.tsx';
import { PaceBanner, useFollowedPace } from './pace.tsx';
import type { PartProps } from './part.ts';
import { type Go, hrefOf, type Place, readPlace, type View, views } from './place.ts';
import { Play } from './play.tsx';
import { Race } from './race/race.tsx';
import { Sandbox } from './sandbox/sandbox.tsx';
import { NeedsServer } from './site/needs-server.tsx';
import { isRecorded } from './site/recorded.ts';
import { elsewhere, useScriptRules, withScript } from './sql/scripts.ts';
import { Syllabus } from './syllabus/syllabus.tsx';
import { useSaves } from './use-saves.ts';

const parts: Record<View, { title: string; Part: typeof Play }> = {
  lessons: { title: 'Lessons', Part: Lessons },
  syllabus: { title: 'Syllabus', Part: Syllabus },
  play: { title: 'Play', Part: Play },
  explore: { title: 'Explore', Part: Explore },
  race: { title: 'Race', Part: Race },
  sandbox: { title: 'Sandbox', Part: Sandbox },
};

/** The parts that recordings cannot show. */
const NEEDING_SERVER: readonly View[] = ['race', 'sandbox'];

/** The id of the part that the page shows. */
const PART = 'part';

type Read = Pick<PartProps, 'strategies' | 'chapters' | 'lessons'>;

const readAll = async (): Promise<Read> => {
  const [strategies, chapters, lessons] = await Promise.all([
    listStrategies(),
    listChapters(),
    listLessons(),
  ]);
  return { strategies, chapters, lessons };
};

/** Shows the navigation of the lab, and the part that the address names. */
export function Lab() {
  const [place, go] = usePlace();
  const [read, setRead] = useState<Read | undefined>(undefined);
  const [failure, setFailure] = useState('');
  const readAgain = () => void readAll().then(setRead, (error: Error) => setFailure(error.message));
  useEffect(readAgain, []);
  useFollowedPace();
  const scriptRules = useScriptRules(place);
  const isLost = useSaves(read?.strategies, readAgain);
  const { title, Part } = parts[place.view];
  const isFirst = useRef(true);
  useEffect(() => {
    // The link that led here is gone, so no element has the focus.
    if (!isFirst.current) focusOnIfLost(PART);
    isFirst.current = false;
  }, [place.view]);
  useEffect(() => {
    document.title = `${title} · Lab · Rowlock`;
  }, [title]);
  return (
    <>
      <div class="lab-head">
        <h1>The lab</h1>
        <nav class="parts" aria-label="Parts of the lab">
          {views.map((view) => (
            <PlaceLink
              key={view}
              place={place}
              go={go}
              to={view === 'play' ? { view } : { view, ...elsewhere(place) }}
              isCurrent={view === place.view}
            >
              {parts[view].title}
            </PlaceLink>
          ))}
        </nav>
      </div>
      {failure && (
        <p role="alert">
          The lab cannot be shown: {failure}{' '}
          {token.get() !== '' && (
            <button type="button" onClick={() => tokenWanted.set(true)}>
              Show another token
            </button>
          )}
        </p>
      )}
      {isLost && (
        <p role="status">
          The server does not answer, so this page hears no saves. The page tries again by itself.
        </p>
      )}
      {read && <PaceBanner place={place} go={go} {...read} />}
      {read && (
        <section id={PART} tabindex={-1} aria-label={title}>
          {isRecorded() && NEEDING_SERVER.includes(place.view) ? (
            <NeedsServer what={title} place={place} />
          ) : (
            <Part
              key={place.view}
              place={place}
              go={go}
              {...read}
              strategies={withScript(read.strategies, place, scriptRules)}
            />
          )}
        </section>
      )}
    </>
  );
}

/**
 * Returns the place of the page, and a function that goes to another place. A move in a game
 * replaces the entry of the previous move in the browser's history. So the Back button leaves the
 * game, and does not go through every move of the game.
 */
function usePlace(): [Place, Go] {
  const [place, setPlace] = useState(() => readPlace(location.search));
  useEffect(() => {
    const follow = () => setPlace(readPlace(location.search));
    addEventListener('popstate', follow);
    return () => removeEventListener('popstate', follow);
  }, []);
  const go: Go = (change) => {
    const before = readPlace(location.search);
    const isOther = 'strategy' in change || 'situation' in change || 'sessions' in change;
    const next = { ...before, ...(isOther && { step: null }), ...change };
    const isStep = Object.keys(change).every((key) => key === 'schedule' || key === 'step');
    if (isStep) history.replaceState(null, '', hrefOf(next));
    else history.pushState(null, '', hrefOf(next));
    setPlace(next);
  };
  return [place, go];
}
