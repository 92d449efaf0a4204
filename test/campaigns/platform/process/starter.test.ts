import { beforeAll, describe, test } from 'vitest';
import { makeDatabase } from '../../../support/database.ts';
import { type Begin, expectEnd } from '../../../support/starter.ts';

let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await makeDatabase();
});

describe.concurrent('every process of npm start ends', {
  tags: ['ps'],
}, () => {
  test.each<Begin>([
    ['npm', 'SIGKILL', 'scripts/build-if-possible.mjs'],
    ['npm', 'SIGTERM', 'scripts/build-if-possible.mjs'],
    ['npm', 'SIGTERM', 'dist/server.js'],
    ['its shell', 'SIGKILL', 'dist/server.js'],
  ])('if %s is ended by %s while %s starts', (...begin) => expectEnd(databaseUrl, ...begin));
});
