/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { Lesson } from '../lessons/lesson.ts';
import { startServer } from '../pages/site/start-server.ts';

interface HomeProps {
  lessons: readonly Pick<Lesson, 'number' | 'title' | 'minutes'>[];
  /** The output of the race demo, and the statements of the fix, as the README shows them. */
  race: string;
  fix: string;
  /** The names of the pictures of all orders, in `web/`. */
  maps: readonly OrdersPicture[];
  repository: string | undefined;
}

export interface OrdersPicture {
  file: string;
  strategy: string;
  words: string;
}

/** Tells why claiming needs a lock, and where the lab begins. */
export const Home = ({ lessons, race, fix, maps, repository }: HomeProps) => (
  <div class="home">
    <h1>Fifty press the button. Four get the job.</h1>
    <p class="lead">
      Companies post jobs, and recruiters claim them. A job has four slots. When fifty recruiters
      claim the same job in the same millisecond, exactly four must get it. Here you find out why
      this is hard, and which line makes it right.
    </p>
    <p class="row">
      <a class="button primary" href="./lab.html?view=lessons&lesson=1">
        Begin with lesson 1
      </a>
      <a class="button" href="./lab.html?strategy=claims/naive">
        Can you oversell the job?
      </a>
      <a class="button" href="./lab.html?view=syllabus">
        All strategies
      </a>
    </p>
    <p class="muted">
      The lessons ask before they tell. This page tells some of their answers below.
    </p>

    <h2>Count, then insert</h2>
    <p>
      The obvious code counts the claims, and then inserts a claim. Two recruiters may count at the
      same time. Both see a free slot, and both insert. A crowd of recruiters sent their claims to a
      server, and this is what three ways to claim have done:
    </p>
    <Code label="The output of the race demo" text={race} />
    <p>
      <code>transaction</code> is <code>naive</code> between BEGIN and COMMIT. A transaction alone
      makes nobody wait. <code>row-lock</code> has one more line.
    </p>

    <h2>The line</h2>
    <Code label="The statements of the fix" text={fix} class="wraps" />

    <h2>Every order at once</h2>
    <p>
      Two recruiters want the last slot. Each tile is one order of their statements, and a real
      PostgreSQL has played each order. The lock also makes most orders impossible. Choose a map,
      and then a tile: the lab plays this order step by step.
    </p>
    <div class="maps">
      {maps.map(({ file, strategy, words }) => (
        <figure>
          <figcaption>
            <code>{strategy}</code>
          </figcaption>
          <a href={`./lab.html?view=explore&strategy=claims/${strategy}&step=999`}>
            <img src={`./web/${file}`} alt={words} />
          </a>
        </figure>
      ))}
    </div>

    <h2>The lessons</h2>
    <p>
      Each lesson has an address of its own, such as <code>lesson-4.html</code>. You need JavaScript
      and no knowledge of locks.
    </p>
    <ol class="contents">
      {lessons.map(({ number, title, minutes }) => (
        <li>
          <a href={`./${fileOfLesson(number)}`}>{title}</a> <span class="muted">{minutes} min</span>
        </li>
      ))}
    </ol>

    <h2>With a server</h2>
    <p>
      Everything here is recorded from a real PostgreSQL. Races, the editor of the lessons and the
      sandbox need a server. So do orders that nobody has recorded. These two lines start a server
      on your computer. {startServer(repository).needs} {startServer(repository).about}
    </p>
    <Code label="The commands that start a server" text={startServer(repository).lines} />
    <p>
      Then open <a href="http://localhost:3000/lab">http://localhost:3000/lab</a>.
    </p>
  </div>
);

export const fileOfLesson = (number: number) => `lesson-${number}.html`;

const Code = ({ label, text, ...rest }: { label: string; text: string; class?: string }) => (
  // The keyboard must reach everything that scrolls.
  <section class={`text ${rest.class ?? ''}`.trim()} tabindex={0} aria-label={label}>
    <pre>{text}</pre>
  </section>
);
