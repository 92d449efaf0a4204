import { useState } from 'hono/jsx/dom';
import { token, tokenWanted } from '../parts/token.ts';
import { useEffect } from '../parts/use-effect.ts';
import { listChapters, listLessons, listStrategies } from './api.ts';
import { Explore } from './explore/explore.tsx';
import { Lessons } from './lessons/lessons.tsx';
import { PlaceLink } from './link.tsx';
import type { PartProps } from './part.ts';
import { type View, views } from './place.ts';
import { Play } from './play.tsx';
import { Race } from './race/race.tsx';
import { Sandbox } from './sandbox/sandbox.tsx';
import { Syllabus } from './syllabus/syllabus.tsx';
import { usePlace } from './use-place.ts';
import { useSaves } from './use-saves.ts';

const parts: Record<View, { title: string; Part: typeof Play }> = {
  lessons: { title: 'Lessons', Part: Lessons },
  syllabus: { title: 'Syllabus', Part: Syllabus },
  play: { title: 'Play', Part: Play },
  explore: { title: 'Explore', Part: Explore },
  race: { title: 'Race', Part: Race },
  sandbox: { title: 'Sandbox', Part: Sandbox },
};

type Read = Pick<PartProps, 'strategies' | 'chapters' | 'lessons'>;

const readAll = async (): Promise<Read> => {
  const [strategies, chapters, lessons] = await Promise.all([
    listStrategies(),
    listChapters(),
    listLessons(),
  ]);
  return { strategies, chapters, lessons };
};

/** The page around the parts. The address says which part is shown. */
export function Lab() {
  const [place, go] = usePlace();
  const [read, setRead] = useState<Read | undefined>(undefined);
  const [failure, setFailure] = useState('');
  const readAgain = () => void readAll().then(setRead, (error: Error) => setFailure(error.message));
  useEffect(readAgain, []);
  const isLost = useSaves(read?.strategies, readAgain);
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
      {isLost && (
        <p role="status">
          The server does not answer, so this page hears no saves. The page tries again by itself.
        </p>
      )}
      {read && <Part key={place.view} place={place} go={go} {...read} />}
    </>
  );
}
