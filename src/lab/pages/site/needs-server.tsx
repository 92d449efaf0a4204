import { hrefOf, type Place } from '../place.ts';
import { startServer } from './start-server.ts';

/** The address of a server that was started on the reader's computer. */
const SERVER = 'http://localhost:3000/lab';

interface NeedsServerProps {
  /** The part of the lab that needs a server, as the beginning of a sentence. */
  what: string;
  place: Place;
}

/** Stands in place of a part that needs a server, and says how to start one. */
export function NeedsServer({ what, place }: NeedsServerProps) {
  const { lines, needs, about } = startServer(document.documentElement.dataset.repository);
  return (
    <section class="needs-server" aria-label={`${what} needs a server`}>
      <p>
        <b>{what} needs a server.</b> This site shows recordings, and has no PostgreSQL. These two
        lines start a server on your computer. {needs}
      </p>
      {/* The keyboard must reach everything that scrolls. */}
      <section class="scroll" tabindex={0} aria-label="Commands">
        <pre>{lines}</pre>
      </section>
      {about && <p>{about}</p>}
      <p>
        Then open <a href={SERVER + hrefOf(place)}>the same place on your computer</a>.
      </p>
    </section>
  );
}
