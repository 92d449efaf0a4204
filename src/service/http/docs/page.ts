import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { readBuilt } from '../../../platform/process/project.ts';

const manifest = createRequire(import.meta.url).resolve('swagger-ui-dist/package.json');
const { version } = createRequire(import.meta.url)(manifest) as { version: string };

/**
 * The address of Swagger UI's files. A new version has a new address, so the file at an address
 * never changes.
 */
export const FILES_AT = `/docs/${version}`;

interface PageFile {
  name: string;
  type: string;
  read(): Promise<Uint8Array<ArrayBuffer>>;
}

const fromSwaggerUi = (name: string, type: string): PageFile => ({
  name,
  type,
  read: async () => Uint8Array.from(await readFile(path.join(path.dirname(manifest), name))),
});

/** The files of Swagger UI that the service serves. It serves no other files of Swagger UI. */
export const files: PageFile[] = [
  fromSwaggerUi('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'),
  fromSwaggerUi('swagger-ui.css', 'text/css; charset=utf-8'),
  fromSwaggerUi('favicon-32x32.png', 'image/png'),
];

/** Reads the page's script, which the build makes from `start.js`. */
export const readStart = () => readBuilt('pages/docs.js').toString();

// No address in the page begins with a slash, because the page may be at /api/docs behind a proxy.
export const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Rowlock: the API</title>
<link rel="stylesheet" href=".${FILES_AT}/swagger-ui.css">
<link rel="icon" type="image/png" href=".${FILES_AT}/favicon-32x32.png">
</head>
<body>
<nav class="swagger-ui" aria-label="Pages"><p class="wrapper"><a href="./">Back to the job board</a></p></nav>
<div id="docs"><noscript>This page needs JavaScript. The document is at <a href="./openapi.json">openapi.json</a>.</noscript></div>
<script src=".${FILES_AT}/swagger-ui-bundle.js"></script>
<script src="./docs/start.js"></script>
</body>
</html>
`;

/**
 * Allows only our own files. Only images may be inline, because the styles of Swagger UI contain
 * inline images.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
