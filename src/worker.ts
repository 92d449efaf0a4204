import { runCommand } from './platform/process/command.ts';
import { runWorker } from './service/program/run-worker.ts';

runCommand(
  {
    name: 'worker',
    purpose: 'Runs the tasks of the database at DATABASE_URL until it is stopped.',
    notes: 'Settings are environment variables, such as WORKERS=8. docs/operations.md lists them.',
  },
  (_, stop) => runWorker(stop),
);
