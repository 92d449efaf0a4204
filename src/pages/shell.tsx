/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { type Bundle, CODE_EDITOR, type PageName } from './bundle.ts';

const titles = {
  board: 'Job board',
  company: 'Companies',
  join: 'Join',
  lab: 'Lab',
  teacher: 'Teacher',
} as const satisfies Record<PageName, string>;

export interface ShellProps {
  page: PageName;
  bundle: Bundle;
  /** Whether the server has a lab. */
  lab: boolean;
  /** The name of the student, if the server is a room for a class. Empty if nobody has joined. */
  classroom?: { student: string };
}

/**
 * Makes the HTML document of a page. The page's script fills `main`.
 *
 * No address begins with a slash, because behind a proxy the pages may be at /jobs/ and /jobs/lab.
 */
export const Shell = ({ page, bundle, lab, classroom }: ShellProps) => (
  <html lang="en" data-classroom={classroom && ''}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${titles[page]} · Rowlock`}</title>
      <link rel="icon" href={`./web/${bundle.nameOf('icon.svg')}`} />
      <link rel="stylesheet" href={`./web/${bundle.nameOf(`${page}.css`)}`} />
      <script type="module" src={`./web/${bundle.nameOf(`${page}.js`)}`} />
    </head>
    <body>
      <header class="header">
        <span class="wordmark">
          <img src={`./web/${bundle.nameOf('icon.svg')}`} alt="" width="28" height="28" />
          Rowlock
        </span>
        {classroom ? (
          <ClassroomNav page={page} {...classroom} />
        ) : (
          <nav aria-label="Pages">
            <PageLink to="board" page={page} />
            <PageLink to="company" page={page} />
            {lab && <PageLink to="lab" page={page} />}
            <a href="./docs">API</a>
          </nav>
        )}
      </header>
      <main
        id="island"
        data-code-editor={page === 'lab' ? `./web/${bundle.nameOf(CODE_EDITOR)}` : undefined}
      >
        <noscript>
          This page needs JavaScript.
          {!classroom && ' The API works without JavaScript. Its link is in the navigation.'}
        </noscript>
      </main>
    </body>
  </html>
);

type Linked = 'board' | 'company' | 'lab';
const addresses = {
  board: './',
  company: './company',
  lab: './lab',
} as const satisfies Record<Linked, string>;

const PageLink = ({ to, page }: { to: Linked; page: PageName }) => (
  <a href={addresses[to]} aria-current={page === to ? 'page' : undefined}>
    {titles[to]}
  </a>
);

/**
 * Shows the navigation in a room for a class. A visitor without a name has not joined, and sees no
 * links. The teacher's page has no links and no student's name.
 */
const ClassroomNav = ({ page, student }: { page: PageName; student: string }) =>
  student && page !== 'teacher' ? (
    <>
      <nav aria-label="Pages">
        <PageLink to="lab" page={page} />
        <PageLink to="board" page={page} />
      </nav>
      <a class="student" href="./join" title="Change your name">
        <bdi>{student}</bdi>
      </a>
    </>
  ) : null;
