import { runMain } from './process/main.ts';
import { printsHelp } from './process/options.ts';
import { runWorker } from './service/run-worker.ts';

const HELP = `Runs the tasks of the database at DATABASE_URL until it is stopped.

Usage: npm run worker

  --help             show this

Settings are environment variables, such as WORKERS=8. docs/operations.md lists them.
`;

runMain(async (stop) => (printsHelp('worker', HELP) ? 0 : runWorker(stop)));
