import path from 'node:path';
import { z } from 'zod';
import { callersFolder, environmentWith } from '../config.ts';

/** The absolute path of a file that a person names. */
export const callersFile = (file: string): string => path.resolve(callersFolder(), file);

/** The rule for an option that is a file. The path is absolute from here on. */
export const aFile = (name: string) =>
  z.string().trim().min(1, `--${name} needs a file`).transform(callersFile);

/** The environment of a process that starts in another folder, but for the same person. */
export const callersEnvironment = () => environmentWith({ INIT_CWD: callersFolder() });
