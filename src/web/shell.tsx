/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { Bundle, PageName } from './bundle.ts';

const titles = { board: 'Job board', company: 'Companies', lab: 'Lab' } as const satisfies Record<
  PageName,
  string
>;

export interface ShellProps {
  page: PageName;
  bundle: Bundle;
  /** Whether the server has a lab. */
  lab: boolean;
}

/**
 * The HTML document of a page. The page's script fills `main`.
 *
 * No address begins with a slash, because behind a proxy the pages may be at /jobs/ and /jobs/lab.
 */
export const Shell = ({ page, bundle, lab }: ShellProps) => (
  <html lang="en">
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
        <nav aria-label="Pages">
          <a href="./" aria-current={page === 'board' ? 'page' : undefined}>
            {titles.board}
          </a>
          <a href="./company" aria-current={page === 'company' ? 'page' : undefined}>
            {titles.company}
          </a>
          {lab && (
            <a href="./lab" aria-current={page === 'lab' ? 'page' : undefined}>
              {titles.lab}
            </a>
          )}
          <a href="./docs">API</a>
        </nav>
      </header>
      <main id="island">
        <noscript>
          This page needs JavaScript. The API works without JavaScript. Its link is in the
          navigation.
        </noscript>
      </main>
    </body>
  </html>
);
