import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { newRoutes, revalidated } from '../new-routes.ts';
import { type Meaning, meanings } from '../problem-list.ts';

/** The pages need little style, so the style is a part of each page. */
const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.6 system-ui, sans-serif }
body { max-width: 42rem; margin: 3rem auto; padding: 0 1rem }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere }
dt { font-weight: 600; margin-top: 1rem } dd { margin: 0 }
a { color: LinkText }
`;

const styleHash = createHash('sha256').update(STYLE).digest('base64');
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Makes the pages to which the `type` of each problem leads. `further` are the problems of other
 * routes.
 */
export function problemPages(further: Readonly<Record<string, Meaning>>) {
  const all = new Map<string, Meaning>(Object.entries({ ...meanings, ...further }));
  const routes = newRoutes();
  routes.get('/problems', revalidated, (c) =>
    c.html(listPage(all), 200, { 'Content-Security-Policy': CONTENT_SECURITY_POLICY }),
  );
  routes.get('/problems/:code', revalidated, (c) => {
    const code = c.req.param('code');
    const meaning = all.get(code);
    if (!meaning) return c.notFound();
    const page = problemPage(code, meaning);
    return c.html(page, 200, { 'Content-Security-Policy': CONTENT_SECURITY_POLICY });
  });
  return routes;
}

const listPage = (all: ReadonlyMap<string, Meaning>) =>
  document(
    'Problems',
    html`<h1>Problems</h1>
<p>Every refusal of the service has one of these codes.</p>
<dl>${[...all].map(
      ([code, { status, when }]) =>
        html`<dt><a href="./problems/${code}"><code>${code}</code></a> (${status})</dt><dd>${marked(when)}</dd>`,
    )}</dl>`,
  );

const problemPage = (code: string, { status, when, next }: Meaning) =>
  document(
    code,
    html`<h1><code>${code}</code></h1>
<dl>
<dt>Status</dt><dd>${status}</dd>
<dt>What the code means</dt><dd>${marked(sentence(when))}</dd>
<dt>What to do</dt><dd>${marked(next)}</dd>
</dl>
<p><a href="../problems">All problems</a></p>`,
  );

const document = (title: string, content: unknown) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Rowlock</title>
<style>${raw(STYLE)}</style>
</head>
<body>${content}</body>
</html>
`;

const sentence = (text: string) => `${text.replace(/^[a-z]/, (letter) => letter.toUpperCase())}.`;

/**
 * Turns the two marks of our texts, `code` and **strong**, into HTML. Our texts use no other marks.
 */
const marked = (text: string) =>
  raw(
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
      .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>'),
  );
