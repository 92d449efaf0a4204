import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { atEnd } from './command.ts';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/**
 * Serves a folder below `/some/folder/`, like any web server for files. Returns the address of the
 * folder, with a slash at its end.
 */
export async function serveFiles(folder: string): Promise<string> {
  const server = createServer(async ({ url = '/' }, response) => {
    const name = new URL(url, 'http://files').pathname.replace('/some/folder/', '');
    const content = await readFile(path.join(folder, name)).catch(() => undefined);
    if (!content) return response.writeHead(404).end();
    const type = TYPES[path.extname(name)] ?? 'application/octet-stream';
    return response
      .writeHead(200, { 'Content-Type': type, 'Content-Encoding': 'gzip' })
      .end(gzipSync(content));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/some/folder/`;
}
