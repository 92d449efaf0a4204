/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Child } from 'hono/jsx';
import { inProject } from '../../platform/process/project.ts';
import { tellLesson } from '../lessons/http.ts';
import { readBuiltLessons } from '../lessons/lesson.ts';
import { drawOrders } from '../pages/map/draw-orders.ts';
import { treeOf } from '../pages/map/orders.ts';
import { ordersIn } from '../pages/site/replay.ts';
import { toldChapters } from '../syllabus/http.ts';
import { readSyllabus } from '../syllabus/syllabus.ts';
import { Document, type DocumentProps, PREVIEW, type Site } from './document.tsx';
import { fileOfLesson, Home, type OrdersPicture } from './home.tsx';
import { type Beginning, pack, type Recording } from './recording.ts';

type Content = string | Uint8Array;

/** The contents of a site, by the names of its files. */
export type SiteFiles = Map<string, Content>;

export interface SiteOptions {
  /** The recordings, by the addresses of their strategies. */
  recordings: ReadonlyMap<string, Recording>;
  script: Content;
  style: Content;
  repository?: string | undefined;
  url?: string | undefined;
}

/** Makes all files of a site. The same arguments always give the same files. */
export function makeSite({ recordings, script, style, ...site }: SiteOptions): SiteFiles {
  const files: SiteFiles = new Map();
  const web = (name: string, content: Content) => {
    const file = withHash(name, [content]);
    files.set(`web/${file}`, content);
    return file;
  };
  const beginning = beginningOf(recordings);
  const data = [...filesOfData(beginning, recordings)];
  const folder = withHash(
    'data',
    data.map(([, content]) => content),
  );
  for (const [name, content] of data) files.set(`${folder}/${name}.js`, content);
  files.set('web/icon.svg', readFileSync(inProject('src/pages/icon.svg')));
  files.set(PREVIEW, readFileSync(inProject('docs/play.png')));
  const shared: Site = {
    data: `./${folder}`,
    script: web('site.js', script),
    style: web('site.css', style),
    repository: site.repository,
    url: site.url,
  };
  const add = (props: Omit<DocumentProps, 'site'>, inside?: Child) =>
    files.set(
      props.file,
      `<!doctype html>${(
        <Document site={shared} {...props}>
          {inside}
        </Document>
      )}`,
    );
  const maps = picturesOf(recordings, beginning).map(({ svg, ...picture }) => ({
    ...picture,
    file: web(`${picture.strategy}.svg`, svg),
  }));
  const readme = readFileSync(inProject('README.md'), 'utf8');
  add(
    {
      file: 'index.html',
      title: 'Fifty press the button. Four get the job.',
      description: 'A workshop on race conditions and locks, with every order of the statements.',
    },
    <Home
      lessons={beginning.lessons}
      race={blockOf(readme, 'See the race', 'text')}
      fix={blockOf(readme, 'The fix', 'sql')}
      maps={maps}
      repository={site.repository}
    />,
  );
  add({
    file: 'lab.html',
    title: 'Lab',
    description: 'Play, explore and learn: every order of the statements of two sessions.',
    isLab: true,
  });
  for (const { number, title, minutes } of beginning.lessons) {
    const goesTo = `lab.html?view=lessons&lesson=${number}`;
    add(
      {
        file: fileOfLesson(number),
        title: `Lesson ${number}: ${title}`,
        description: `A lesson on locks, in ${minutes} minutes: predict, play, understand.`,
        goesTo,
      },
      <p>
        <a href={`./${goesTo}`}>
          Lesson {number}: {title}
        </a>
      </p>,
    );
  }
  return files;
}

/** Matches the name of the folder with the recordings. */
export const DATA = /^data-[0-9a-f]{8}$/;

/** Returns the name of the file with the recording of the strategy at this address. */
export const nameOfData = (address: string) => address.replace('/', '-');

const NOT_RECORDED = 'This site has no recording of it.';

/** Returns the first answers of the lab. A strategy without a recording cannot be played. */
function beginningOf(recordings: SiteOptions['recordings']): Beginning {
  const strategies = readSyllabus().map((entry) => {
    const isRecorded = recordings.has(`${entry.chapter}/${entry.name}`);
    return { ...entry, missing: isRecorded ? null : (entry.missing ?? NOT_RECORDED) };
  });
  return { strategies, chapters: [...toldChapters], lessons: readBuiltLessons().map(tellLesson) };
}

/** Returns the files of data as scripts, with their names. */
function filesOfData(beginning: Beginning, recordings: SiteOptions['recordings']) {
  const values = [
    ['beginning', beginning] as const,
    ...[...recordings].map(([address, each]) => [nameOfData(address), each] as const),
  ];
  return values.map(
    ([name, value]) => [name, `rowlockData[${JSON.stringify(name)}]="${pack(value)}"\n`] as const,
  );
}

/** The situation and the strategies of the first page. They are those of lesson 4. */
const SITUATION = 'last-slot';
const PICTURED = ['transaction', 'row-lock'];

/** Draws the orders of the first page. */
function picturesOf(recordings: SiteOptions['recordings'], { chapters }: Beginning) {
  const faults = chapters.find(({ name }) => name === 'claims')?.faults ?? [];
  return PICTURED.flatMap((strategy): (Omit<OrdersPicture, 'file'> & { svg: string })[] => {
    const recording = recordings.get(`claims/${strategy}`);
    if (!recording) return [];
    const orders = ordersIn(recording, SITUATION, faults);
    const wrong = orders.filter(({ fault }) => fault !== '').length;
    const words = `${orders.length} orders of ${strategy}. ${wrong} oversold.`;
    return [{ strategy, words, svg: drawOrders(treeOf(orders), { faults }) }];
  });
}

/** Returns the first block of code of this language under a heading. */
function blockOf(markdown: string, heading: string, language: string): string {
  const [, section = ''] = markdown.split(`\n## ${heading}\n`);
  const [, block] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section) ?? [];
  if (block === undefined) throw new Error(`README.md has no block ${language} under ${heading}`);
  return block.trimEnd();
}

/** Adds a hash of the contents to a name. So a browser never mixes the files of two sites. */
function withHash(name: string, contents: readonly Content[]): string {
  const hash = createHash('sha256');
  for (const each of contents) hash.update(each);
  const [stem, end] = [name.replace(/\.\w+$/, ''), /\.\w+$/.exec(name)?.[0] ?? ''];
  return `${stem}-${hash.digest('hex').slice(0, 8)}${end}`;
}
