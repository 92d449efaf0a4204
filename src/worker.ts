import { runMain } from './process/main.ts';
import { runWorker } from './service/run-worker.ts';

runMain((stop) => runWorker(stop));
