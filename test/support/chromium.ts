import { chromium } from 'playwright-core';
import { findProgram } from './program.ts';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Starts one Chromium for the whole test run, since a start takes a second. Undefined on a machine
 * without Chromium.
 */
export async function launchChromium() {
  const executablePath = findProgram({
    title: 'Chromium',
    name: 'chromium',
    variable: 'CHROMIUM_PATH',
    tests: 'the pages',
  });
  return executablePath === undefined
    ? undefined
    : chromium.launchServer({ executablePath, args: FLAGS });
}
