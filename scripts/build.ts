import { flag, runCommand } from '../src/platform/process/command.ts';
import { unlessStopped } from '../src/platform/process/main.ts';
import { buildDist } from './dist.ts';

const command = {
  name: 'build',
  purpose: 'Compiles the service and its pages to dist/.',
  options: {
    'without-lab': flag('leave out the lab, its pages and its sources; LAB=on is then refused'),
  },
  notes: 'Without the compiler, it leaves dist/ as it is.',
  // The exit code is not 1. `npm run doctor` builds first, and the exit code 1 of the doctor means
  // that something is wrong in the database.
  failureCode: 2,
};

runCommand(command, async ({ 'without-lab': withoutLab }, stop) => {
  await unlessStopped(stop, buildDist({ lab: !withoutLab }));
  return 0;
});
