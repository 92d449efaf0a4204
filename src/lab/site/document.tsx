/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx';

/** The facts that all pages of a site share. */
export interface Site {
  /** The names of the files in `web/`. */
  script: string;
  style: string;
  /** The folder with the recordings, such as `./data-1a2b3c4d`. */
  data: string;
  /** The address of the project's repository. */
  repository: string | undefined;
  /** The address of the site, with a slash at its end. Link previews need it. */
  url: string | undefined;
}

export interface DocumentProps {
  site: Site;
  /** The file of the page, such as `lab.html`. */
  file: string;
  title: string;
  description: string;
  /** The file to which the page sends its readers at once. */
  goesTo?: string;
  /** Whether the page shows the lab. Its script fills `main`. */
  isLab?: boolean;
  children?: Child;
}

/** The picture of link previews. It is 1260 by 1218 pixels. */
export const PREVIEW = 'preview.png';

/** Makes the HTML document of a page. No address begins with a slash, so any folder will do. */
export const Document = ({ site, file, isLab = false, goesTo, ...props }: DocumentProps) => (
  <html lang="en" data-recorded={site.data} data-repository={site.repository}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${props.title} · Rowlock`}</title>
      <Preview site={site} file={file} {...props} />
      {goesTo && <meta http-equiv="refresh" content={`0; url=./${goesTo}`} />}
      <link rel="icon" href="./web/icon.svg" />
      <link rel="stylesheet" href={`./web/${site.style}`} />
      {/* A page from the disk may not load modules. */}
      {isLab && <script defer src={`./web/${site.script}`} />}
    </head>
    <body>
      <header class="header">
        <span class="wordmark">
          <img src="./web/icon.svg" alt="" width="28" height="28" />
          Rowlock
        </span>
        <nav aria-label="Pages">
          <a href="./index.html" aria-current={file === 'index.html' ? 'page' : undefined}>
            Why it needs a lock
          </a>
          <a href="./lab.html" aria-current={isLab ? 'page' : undefined}>
            Lab
          </a>
          {site.repository && <a href={site.repository}>Source code</a>}
        </nav>
      </header>
      <main id={isLab ? 'island' : undefined}>
        {isLab && <noscript>The lab needs JavaScript. The first page does not.</noscript>}
        {props.children}
      </main>
    </body>
  </html>
);

/** The title and the picture that other sites show beside a link to the page. */
const Preview = ({ site: { url = './' }, file, title, description }: DocumentProps) => (
  <>
    <meta name="description" content={description} />
    <meta property="og:type" content="website" />
    <meta property="og:site_name" content="Rowlock" />
    <meta property="og:title" content={title} />
    <meta property="og:description" content={description} />
    <meta property="og:url" content={url + file} />
    <meta property="og:image" content={url + PREVIEW} />
    <meta property="og:image:alt" content="A page of the lab, after a job was oversold" />
    <meta name="twitter:card" content="summary_large_image" />
  </>
);
