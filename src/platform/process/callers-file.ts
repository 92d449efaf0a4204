import path from 'node:path';
import { needed } from './command.ts';
import { callersFolder, environmentWith } from './environment.ts';

/** Returns the absolute path of a file that a person names. */
export const callersFile = (file: string): string => path.resolve(callersFolder(), file);

/** The rule for an option whose value is a file. The checked value is an absolute path. */
export const aFile = { value: 'FILE', type: needed('a file').transform(callersFile) };

/**
 * Returns the environment for a process that starts in another folder, but reads file names as this
 * process does.
 */
export const callersEnvironment = () => environmentWith({ INIT_CWD: callersFolder() });
