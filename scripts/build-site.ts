import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Stage } from '../src/explorer/stage.ts';
import { type Addressed, addressOf, allStrategies } from '../src/lab/chapters/index.ts';
import { unpack } from '../src/lab/pages/site/replay.ts';
import { checkRecordings } from '../src/lab/site/check.ts';
import { PREVIEW } from '../src/lab/site/document.tsx';
import { DATA, makeSite, nameOfData, type SiteFiles } from '../src/lab/site/make-site.tsx';
import { MOST_ORDERS, record } from '../src/lab/site/record.ts';
import type { Recording } from '../src/lab/site/recording.ts';
import { readTexts } from '../src/lab/syllabus/source.ts';
import { compile, inDist } from '../src/platform/process/build.ts';
import { callersFile } from '../src/platform/process/callers-file.ts';
import { flag, needed, runCommand } from '../src/platform/process/command.ts';
import { PlainError, UsageError } from '../src/platform/process/errors.ts';
import { unlessStopped } from '../src/platform/process/main.ts';
import { print } from '../src/platform/process/print.ts';
import { clearProgress, showProgress } from '../src/platform/process/progress.ts';
import { inProject } from '../src/platform/process/project.ts';
import { withStage, withStages } from './arena.ts';
import { named, runnable } from './chosen.ts';
import { buildDist } from './dist.ts';
import { expectFolder } from './writing.ts';

/** The number of schedules that `--check` plays again. */
const CHECKED = 200;

/** Matches the names of the files and folders directly in a site. */
const OF_SITE = new RegExp(`^(index|lab|lesson-\\d+)\\.html$|^${PREVIEW}$|^web$|${DATA.source}`);

const command = {
  name: 'build:site',
  purpose: `Plays the strategies, and makes a folder of static files with the recordings: the lessons, the
syllabus, Play, Explore and the maps. The folder works on any web server and from the disk.`,
  options: {
    out: {
      value: 'FOLDER',
      type: needed('a folder'),
      words: 'the folder of the site',
      usual: 'dist/site',
    },
    strategy: {
      value: 'NAME',
      type: z.array(z.string()),
      words: 'record only this strategy, such as claims/naive; may be given several times',
      usual: 'all',
      isRepeatable: true,
    },
    repository: {
      value: 'URL',
      type: webAddress(),
      words: 'the address of the repository, for the pages that say how to start a server',
    },
    url: {
      value: 'URL',
      type: webAddress(),
      words: 'the address of the site, for link previews',
    },
    check: flag(
      `make nothing; play ${CHECKED} random schedules of the recordings again, and compare the states`,
    ),
  },
  notes: `All strategies take about 20 minutes. In a situation with more than ${MOST_ORDERS} schedules, only the
clearest schedules are recorded. Exit code: 0 when the site was made or is as recorded, 1
when --check found a difference, 2 when the command could not run as asked.`,
  failureCode: 2,
};

function webAddress() {
  return z.url({ protocol: /^https?$/, error: 'needs an address with http:// or https://' });
}

runCommand(command, async (options, stop) => {
  const out = options.out === undefined ? inDist('site') : callersFile(options.out);
  if (options.check) return await check(out, stop);
  expectSite(out);
  const wanted = options.strategy?.map((each) => named(each)) ?? runnable(allStrategies);
  // The recordings contain the sources that the build copies to dist.
  await unlessStopped(stop, buildDist());
  const bundled = await unlessStopped(stop, bundle());
  const recordings = await withStages(stop, (stages) => recordAll(stages, wanted, stop));
  const { repository, url } = options;
  const base = url === undefined ? undefined : url.replace(/\/*$/, '/');
  const files = makeSite({ recordings, ...bundled, repository, url: base });
  write(out, files);
  const bytes = [...files.values()].reduce((sum, content) => sum + Buffer.byteLength(content), 0);
  print(
    `${out}: ${recordings.size} ${recordings.size === 1 ? 'strategy' : 'strategies'}, ${files.size} files, ${(bytes / 1e6).toFixed(1)} MB\n`,
  );
  return 0;
});

async function recordAll(
  stages: readonly Stage[],
  wanted: readonly Addressed[],
  stop: AbortSignal,
) {
  const texts = readTexts();
  const recordings = new Map<string, Recording>();
  let schedules = 0;
  for (const [index, addressed] of wanted.entries()) {
    const address = addressOf(addressed);
    const onSchedule = () =>
      showProgress(
        `${address}, ${index + 1} of ${wanted.length} strategies: ${++schedules} schedules`,
      );
    recordings.set(address, await record(stages, addressed, { texts, stop, onSchedule }));
  }
  clearProgress();
  return recordings;
}

/** Compiles the script and the style of the site. A page from the disk may not load modules. */
async function bundle() {
  const entry = (name: string) => inProject(`src/lab/pages/site/${name}`);
  const made = await compile({
    entryPoints: [entry('island.tsx'), entry('page.css')],
    outdir: inDist('site'),
    format: 'iife',
    minify: true,
    target: 'es2022',
    jsxImportSource: 'hono/jsx/dom',
  });
  const contentOf = (end: string) => made.find(({ file }) => file.endsWith(end))?.content ?? '';
  return { script: contentOf('.js'), style: contentOf('.css') };
}

/** Makes the folder. Throws a `UsageError` if this fails, or if the folder has other files. */
function expectSite(out: string) {
  expectFolder('the site', out);
  const other = readdirSync(out).find((name) => !OF_SITE.test(name));
  if (other !== undefined)
    throw new UsageError(`${out} has other files, such as ${other}. Choose another folder.`);
}

/** Writes the files in place of an earlier site. */
function write(out: string, files: SiteFiles) {
  for (const name of readdirSync(out)) rmSync(path.join(out, name), { recursive: true });
  for (const [name, content] of files) {
    const file = path.join(out, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

async function check(out: string, stop: AbortSignal): Promise<number> {
  const recordings = await readRecordings(out);
  const onSchedule = (n: number) => showProgress(`${n} of ${CHECKED} schedules`);
  const options = { schedules: CHECKED, stop, onSchedule };
  const different = await withStage(stop, (stage) => checkRecordings(stage, recordings, options));
  clearProgress();
  if (different === undefined) {
    print(`${CHECKED} random schedules are as recorded.\n`);
    return 0;
  }
  print(`The recording is not the recording of this code: npm run replay -- ${different}\n`);
  return 1;
}

async function readRecordings(out: string): Promise<Map<string, Recording>> {
  const isFolder = statSync(out, { throwIfNoEntry: false })?.isDirectory();
  const folder = isFolder && readdirSync(out).find((name) => DATA.test(name));
  if (!folder) throw new PlainError(`${out} is no site. Run npm run build:site.`);
  const recordings = new Map<string, Recording>();
  for (const each of allStrategies) {
    const file = path.join(out, folder, `${nameOfData(addressOf(each))}.js`);
    if (existsSync(file)) recordings.set(addressOf(each), await readRecording(file));
  }
  if (recordings.size === 0) throw new PlainError(`${out} has no recordings.`);
  return recordings;
}

async function readRecording(file: string): Promise<Recording> {
  const [, packed = ''] = /="([^"]*)"/.exec(readFileSync(file, 'utf8')) ?? [];
  try {
    return (await unpack(packed)) as Recording;
  } catch {
    throw new PlainError(`${file} is damaged. Run npm run build:site.`);
  }
}
