import { writeFileSync } from 'node:fs';
import { documentOf } from '../src/http/docs/document.ts';
import { runMain } from '../src/process/main.ts';
import { printsHelp } from '../src/process/options.ts';
import { inProject } from '../src/process/project.ts';
import { createApp } from '../src/service/app.ts';
import { OPERATIONS_FILE, operationsOf } from './operations.ts';

const HELP = `Writes the operations and the types of the client from the routes of the service.

Usage: npm run generate:client

  --help             show this
`;

runMain(async () => {
  if (printsHelp('generate:client', HELP)) return 0;
  // Only the routes of this app are read. The app never answers, so the app needs no database.
  const nothing = {} as never;
  const app = createApp({ db: nothing, feed: nothing, log: nothing });
  writeFileSync(inProject(OPERATIONS_FILE), operationsOf(documentOf(app, { tokens: true })));
  return 0;
});
