import { chromium } from 'playwright-core';
import type { Need } from './needs.ts';

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
 * Starts one Chromium for the whole test run, since a start takes a second. Returns undefined on a
 * machine without Chromium.
 */
export async function launchChromium(needs: readonly Need[]) {
  const executablePath = needs.find(({ name }) => name === 'chromium')?.found;
  return executablePath === undefined
    ? undefined
    : chromium.launchServer({ executablePath, args: FLAGS });
}
