import { describe, expect, test } from 'vitest';
import { makeService } from '../support/app.ts';
import { start } from '../support/command.ts';
import { makeDatabase } from '../support/database.ts';
import { type Line, linesOf, type Page, pages } from '../support/pages.ts';
import { payloadOf, SECRET, signedWith, WITH_SECRET } from '../support/tokens.ts';

const ASKED = ['curl', 'stream', 'example', 'variable'];
const asking = pages.filter(({ blocks }) => blocks.some((block) => askedIn(block).length > 0));

function askedIn(block: Page['blocks'][number]): Line[] {
  return block.language === 'sh' ? linesOf(block).filter(({ kind }) => ASKED.includes(kind)) : [];
}

const hasToken = (line: string) => line.includes('$TOKEN');

/**
 * Makes a reader who runs the lines of a page in order. Each reader has a new service with a new
 * database. Lines with $TOKEN go to a second new service with a second new database. The second
 * service checks tokens.
 */
async function makeReader(lines: Line[]) {
  const open = await makeService(await makeDatabase());
  const guarded = lines.some(({ text }) => hasToken(text))
    ? await makeService(await makeDatabase(), { auth: WITH_SECRET })
    : open;
  const env: Record<string, string> = {
    TOKEN: await signedWith(SECRET, payloadOf('recruiter', '1')),
  };
  const run = (line: string, more = '') => {
    const { url } = hasToken(line) ? guarded : open;
    const command = `${line.replaceAll('http://localhost:3000', url)} ${more}`;
    return start('sh', ['-c', `exec ${command}`], env);
  };
  return {
    set(line: string) {
      const [name = '', value = ''] = line.split('=');
      env[name] = value;
    },
    /** Returns the output of a command. The command must end with the exit code 0. */
    async outputOf(line: string, more?: string): Promise<string> {
      const command = run(line, more);
      expect(await command.ended, command.stderr()).toEqual({ code: 0, signal: null });
      return command.stdout();
    },
    /** Runs a command that follows events, until an `end` or `done` event comes. */
    async follow(line: string) {
      const command = run(line);
      await command.says(/^event: (end|done)$/m);
      command.child.kill();
    },
  };
}

/** Replaces the times in JSON, since they differ from run to run. */
const withoutTimes = (json: string) =>
  JSON.parse(json.replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"a time"'));

describe.each(asking)('the requests of $name', { tags: ['curl'] }, async ({ blocks }) => {
  const reader = await makeReader(blocks.flatMap(askedIn));
  const asked = new Set<string>();
  let body = '';

  async function ask({ text, kind }: Line) {
    if (kind === 'variable') return reader.set(text);
    if (kind === 'stream') return reader.follow(text);
    if (kind === 'example') {
      expect(await reader.outputOf(text)).toMatch(/^Claimed: /);
      return;
    }
    // With --fail, curl ends with an error if the service refuses the request.
    const said = await reader.outputOf(text, '--silent --show-error --include --fail');
    expect(said).toMatch(/^HTTP\/1.1 20[012] /);
    const isAgain = asked.has(text) && text.includes('Idempotency-Key');
    expect(/^idempotent-replayed: true\r$/im.test(said)).toBe(isAgain);
    asked.add(text);
    body = said.split('\r\n\r\n')[1] ?? '';
  }

  for (const block of blocks) {
    for (const line of askedIn(block)) test(line.text, () => ask(line));
    if (block.language !== 'json') continue;
    test(`are answered as ${block.at} shows`, () => {
      expect(withoutTimes(body)).toEqual(withoutTimes(block.text));
    });
  }
});
