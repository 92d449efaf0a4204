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
   * Opens a page in a new tab. The tabs of one test share the browser's storage. The test fails
   * after an error in a tab's console, a breach of the page's policy, or a request to another host.
   */
  open: (url: string, look?: Look) => Promise<Page>;
}

const browserUrl = inject('browserUrl');

const testWithBrowser = test.extend<Fixtures>({
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the fixture's needs from this pattern.
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
});

const needed = { tags: ['chromium' as const] };

/** Defines a test that uses the browser of the test run. */
export const browserTest = Object.assign(
  (name: string, body: (context: Fixtures) => Promise<void>, timeout?: number) =>
    testWithBrowser(name, { ...needed, ...(timeout && { timeout }) }, body),
  {
    for:
      <T>(cases: readonly T[]) =>
      (name: string, body: (each: T, context: Fixtures) => Promise<void>) =>
        testWithBrowser.for(cases)(name, needed, body),
  },
);

/** Reports errors of the page, errors in the console, and requests to another origin than `url`. */
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
 * Returns true for a console line about a failed request of the page, such as a refused claim.
 * Chromium writes a line for each status from 400 on, and for each request without an answer.
 * Returns false if the page or one of its own files fails to load, because this is a fault.
 */
const isAboutAnAnswer = (message: ConsoleMessage): boolean =>
  message.text().startsWith('Failed to load resource:') &&
  !/^\/(web\/.*|company|lab)?$|\.(html|js|css|svg)$/.test(new URL(message.location().url).pathname);

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Asserts that axe finds no serious or critical violation in the present page. */
export async function expectAccessible(page: Page) {
  // The page's security policy forbids new script elements, so we evaluate the code of axe.
  if (!(await page.evaluate("'axe' in window")))
    await page.evaluate(await readFile(axeFile, 'utf8'));
  // By default, axe also describes every element that passes. This takes long. A page from the disk
  // may not read its own stylesheet.
  const preload = !page.url().startsWith('file:');
  const options = JSON.stringify({ resultTypes: ['violations'], preload });
  const { violations } = (await page.evaluate(`axe.run(${options})`)) as AxeResults;
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(serious.map(inWords).join('\n')).toBe('');
}

/**
 * Asserts at each width that the present page is accessible and fits the width, in light and in
 * dark colours. The look depends on CSS alone, so the page is not loaded again.
 */
export async function expectAccessibleLooks(page: Page, widths = [1280, 360]) {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of widths) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await expectAccessible(page);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
        width,
      );
    }
}

const inWords = ({ id, help, nodes }: Result): string =>
  `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`;

/** Returns the text of the element with the focus. Returns '' if no element has the focus. */
export const focused = (page: Page) =>
  page.evaluate(
    "document.activeElement === document.body ? '' : document.activeElement.textContent",
  );
