import { useState } from 'hono/jsx/dom';
import { token, tokenWanted } from '../parts/token.ts';
import { useEffect } from '../parts/use-effect.ts';
import { listChapters, listStrategies } from './api.ts';
import { Explore } from './explore/explore.tsx';
import { PlaceLink } from './link.tsx';
import type { PartProps } from './part.ts';
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

type Strategies = Pick<PartProps, 'strategies' | 'chapters'>;

const readSyllabus = async (): Promise<Strategies> => {
  const [strategies, chapters] = await Promise.all([listStrategies(), listChapters()]);
  return { strategies, chapters };
};

/** The page around the four parts. The address says which part is shown. */
export function Lab() {
  const [place, go] = usePlace();
  const [syllabus, setSyllabus] = useState<Strategies | undefined>(undefined);
  const [failure, setFailure] = useState('');
  useEffect(() => {
    readSyllabus().then(setSyllabus, (error: Error) => setFailure(error.message));
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
      {syllabus && <Part key={place.view} place={place} go={go} {...syllabus} />}
    </>
  );
}
