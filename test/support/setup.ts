import { afterAll } from 'vitest';
import { end } from './command.ts';

// Test files share their modules, so a module registers its hooks for one file only. Vitest runs
// this file again for each test file.
afterAll(end);
