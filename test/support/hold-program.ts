import { KeptChild } from '../../src/platform/process/child.ts';

/** Runs a shell as a kept program in a folder, and prints the output of the shell. */
const [folder = '', text = '', unref] = process.argv.slice(2);
const program = ['/bin/sh', '-c', text];
const kept = new KeptChild(program, { cwd: folder, settings: {}, throwAway: folder });
await kept.says(/\n/, 20_000);
process.stdout.write(kept.said);
if (unref) kept.unref();
