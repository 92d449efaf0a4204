import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults, Result } from 'axe-core';
import { type Browser, type ConsoleMessage, chromium, type Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';

interface Look {
  colorScheme?: 'light' | 'dark';
  width?: number;
  height?: number;
}

interface Fixtures {
  browser: Browser;
  /**
   * Opens a page in a tab. Tabs of one test share what the browser keeps, as tabs do. The test fails
   * on an error in a tab's console, a report of its policy, or a request to another host.
   */
  open: (url: string, look?: Look) => Promise<Page>;
}

const browserUrl = inject('browserUrl');

/** A test in the browser of the run; skipped on a machine that has none. */
export const browserTest = test
  .extend<Fixtures>({
    browser: [
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads what a fixture needs of this.
      async ({}, use) => {
        const browser = await chromium.connect(browserUrl ?? '');
        await use(browser);
        await browser.close();
      },
      { scope: 'file' },
    ],
    open: async ({ browser }, use) => {
      const context = await browser.newContext();
      const faults: string[] = [];
      await use(async (url, { colorScheme = 'light', width = 1280, height = 800 } = {}) => {
        const page = await context.newPage();
        watch(page, url, (fault) => faults.push(fault));
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height });
        await page.goto(url);
        return page;
      });
      await context.close();
      expect(faults).toEqual([]);
    },
  })
  .skipIf(browserUrl === undefined);

/** Tells of everything that a page of the service at `url` should not do. */
export function watch(page: Page, url: string, onFault: (fault: string) => void) {
  const { origin } = new URL(url);
  page.on('pageerror', (error) => onFault(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !isAboutAnAnswer(message))
      onFault(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) onFault(`request: ${request.url()}`);
  });
}

/**
 * Chromium itself writes a line for each answer of 400 and more, and for each that does not come. A
 * refused claim is no fault of a page; one of its own files that is missing is.
 */
const isAboutAnAnswer = (message: ConsoleMessage): boolean =>
  message.text().startsWith('Failed to load resource:') &&
  !/^\/(web\/.*|lab)?$/.test(new URL(message.location().url).pathname);

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Asserts that axe finds nothing serious in the page as it is now. */
export async function expectAccessible(page: Page) {
  // Not by a script element: the policy of the page would refuse it.
  await page.evaluate(await readFile(axeFile, 'utf8'));
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(serious.map(inWords).join('\n')).toBe('');
}

const inWords = ({ id, help, nodes }: Result): string =>
  `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`;
