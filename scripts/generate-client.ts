import { writeFileSync } from 'node:fs';
import { runCommand } from '../src/platform/process/command.ts';
import { inProject } from '../src/platform/process/project.ts';
import { documentOf } from '../src/service/http/docs/document.ts';
import { createApp } from '../src/service/program/app.ts';
import { OPERATIONS_FILE, operationsOf } from './operations.ts';

const command = {
  name: 'generate:client',
  purpose: 'Writes the operations and the types of the client from the routes of the service.',
};

runCommand(command, async () => {
  // Only the routes of this app are read. The app never answers, so the app needs no database.
  const nothing = {} as never;
  const app = createApp({ db: nothing, feed: nothing, log: nothing });
  writeFileSync(inProject(OPERATIONS_FILE), operationsOf(documentOf(app, { tokens: true })));
  return 0;
});
