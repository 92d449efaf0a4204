import { useState } from 'hono/jsx/dom';
import { token, tokenWanted } from '../parts/token.ts';
import { useEffect } from '../parts/use-effect.ts';
import { type Entry, listStrategies } from './api.ts';
import { Explore } from './explore/explore.tsx';
import { PlaceLink } from './link.tsx';
import { type View, views } from './place.ts';
import { Play } from './play.tsx';
import { Race } from './race/race.tsx';
import { Syllabus } from './syllabus/syllabus.tsx';
import { usePlace } from './use-place.ts';

const parts: Record<View, { title: string; Part: typeof Play }> = {
  syllabus: { title: 'Syllabus', Part: Syllabus },
  play: { title: 'Play', Part: Play },
  explore: { title: 'Explore', Part: Explore },
  race: { title: 'Race', Part: Race },
};

/** The page around the four parts: which of them is seen, and of what, stands in the address. */
export function Lab() {
  const [place, go] = usePlace();
  const [strategies, setStrategies] = useState<readonly Entry[] | undefined>(undefined);
  const [failure, setFailure] = useState('');
  useEffect(() => {
    listStrategies().then(setStrategies, (error: Error) => setFailure(error.message));
  }, []);
  const { title, Part } = parts[place.view];
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
              to={{ view }}
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
      {strategies && <Part key={place.view} place={place} go={go} strategies={strategies} />}
    </>
  );
}
