import type { Explored } from '../../explorations/exploration.ts';
import type { Beginning, Packed, Recording } from '../../site/recording.ts';
import type { EntryWithSources, SyllabusEntry, ToldChapter } from '../api.ts';
import { addressOf, chapterOf, entryAt, situationAt } from '../part.ts';
import { HOME } from '../place.ts';
import { ordersIn, stateAfter, unpack } from './replay.ts';

/** Answers a request of the pages from the recordings, as the lab of a server does. */
export async function answer(path: string, { body }: RequestInit): Promise<Response> {
  const beginning = await readBeginning();
  const { pathname, searchParams } = new URL(path, 'http://site');
  switch (pathname) {
    case '/lab/strategies':
      return Response.json(beginning.strategies);
    case '/lab/chapters':
      return Response.json(beginning.chapters);
    case '/lab/lessons':
      return Response.json(beginning.lessons);
    case '/lab/plays':
      return await answerPlay(beginning, JSON.parse(String(body)));
    case '/lab/explorations':
      return await answerExploration(beginning, searchParams);
    default:
      return await answerStrategy(beginning, pathname.replace('/lab/strategies/', ''));
  }
}

const refuse = (detail: string) => Response.json({ detail }, { status: 404 });

/** A strategy in one situation, as a request names it. */
interface Asked {
  strategy: string;
  situation?: string;
  sessions?: number | string;
}

interface Found {
  entry: SyllabusEntry;
  proof: SyllabusEntry['situations'][number];
  chapter: ToldChapter;
}

/** Finds the recorded strategy and situation. Returns a string with the reason if there is none. */
function find({ strategies, chapters }: Beginning, asked: Asked): Found | string {
  const { strategy, situation = '', sessions = HOME.sessions } = asked;
  const entry = entryAt(strategies, strategy);
  if (!entry) return `There is no strategy ${strategy}.`;
  if (entry.missing !== null) return `${strategy} is not recorded. ${entry.missing}`;
  const proof = situationAt(entry, { ...HOME, situation });
  if (!proof) return `There is no situation ${situation}.`;
  if (Number(sessions) !== HOME.sessions && proof.sessions === undefined)
    return `The recordings have ${HOME.sessions} sessions. A server plays ${sessions}.`;
  return { entry, proof, chapter: chapterOf({ chapters }, entry) };
}

async function answerPlay(
  beginning: Beginning,
  asked: Asked & { schedule: string[] },
): Promise<Response> {
  const found = find(beginning, asked);
  if (typeof found === 'string') return refuse(found);
  const { entry, proof } = found;
  const recording = await readRecording(addressOf(entry));
  const state = stateAfter(recording, proof.name, asked.schedule);
  if (typeof state !== 'number') return Response.json(state);
  return refuse(
    recording.situations[proof.name]?.isComplete
      ? `Step ${state} of the schedule is ${asked.schedule[state - 1]}. This step is not possible there.`
      : `Step ${state} is not recorded. Of the ${proof.schedules} schedules, only the clearest are ` +
          'recorded here. A server plays them all.',
  );
}

async function answerExploration(beginning: Beginning, query: URLSearchParams): Promise<Response> {
  const { strategy = '', orders, ...asked } = Object.fromEntries(query);
  const found = find(beginning, { ...asked, strategy });
  if (typeof found === 'string') return refuse(found);
  const { entry, proof, chapter } = found;
  const recording = await readRecording(addressOf(entry));
  const isRecorded = recording.situations[proof.name]?.isComplete;
  if (orders === 'listed' && !isRecorded)
    return refuse(
      `This map needs a server. The recordings have the orders of smaller situations, and this ` +
        `situation has ${proof.schedules} orders or more.`,
    );
  const gravest = chapter.faults.find(({ name }) => proof.clearest[name] !== undefined);
  const clearest = gravest && proof.clearest[gravest.name]?.split(',');
  const state = clearest && stateAfter(recording, proof.name, clearest);
  const explored: Explored = {
    strategy: addressOf(entry),
    situation: proof.name,
    sessions: proof.sessions ?? HOME.sessions,
    schedules: proof.schedules,
    isComplete: proof.isComplete ?? true,
    serializationFailures: proof.serializationFailures,
    faults: proof.faults,
    counterexample: typeof state === 'object' ? state.told : null,
    milliseconds: 0,
    ...(orders === 'listed' && {
      orders: ordersIn(recording, proof.name, chapter.faults),
    }),
  };
  return new Response(`event: done\ndata: ${JSON.stringify(explored)}\n\n`);
}

async function answerStrategy({ strategies }: Beginning, address: string): Promise<Response> {
  const entry = entryAt(strategies, address);
  if (!entry) return refuse(`There is no ${address} here. A server has it.`);
  const { sources } = await readRecording(addressOf(entry));
  const answered: EntryWithSources = { ...entry, sources };
  return Response.json(answered);
}

/** Each file of data puts its text here, under its name. */
const packed: Record<string, Packed> = {};
(globalThis as { rowlockData?: typeof packed }).rowlockData = packed;

const loaded = new Map<string, Promise<unknown>>();

const readBeginning = () => load('beginning') as Promise<Beginning>;

/** Reads the recording of the strategy with this address. */
const readRecording = (address: string) => load(address.replace('/', '-')) as Promise<Recording>;

function load(name: string): Promise<unknown> {
  const begun = loaded.get(name) ?? loadScript(name).then(() => unpack(packed[name] ?? ''));
  loaded.set(name, begun);
  begun.catch(() => loaded.delete(name));
  return begun;
}

/**
 * Loads a file of data. The file is a script, because a page from the disk may load scripts, and may
 * not read other files.
 */
function loadScript(name: string): Promise<unknown> {
  const script = document.createElement('script');
  const done = new Promise((resolve, reject) => {
    script.addEventListener('load', resolve);
    script.addEventListener('error', () => reject(new Error(`${script.src} cannot be loaded`)));
  });
  script.src = `${document.documentElement.dataset.recorded}/${name}.js`;
  document.head.append(script);
  return done.finally(() => script.remove());
}
