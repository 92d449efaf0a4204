import type { Packed } from '../../site/pack.ts';
import type { Beginning, Recording } from '../../site/recording.ts';
import { unpack } from './unpack.ts';

/** Each file of data puts its text here, under its name. */
const packed: Record<string, Packed> = {};
(globalThis as { rowlockData?: typeof packed }).rowlockData = packed;

const loaded = new Map<string, Promise<unknown>>();

export const readBeginning = () => load('beginning') as Promise<Beginning>;

/** Reads the recording of the strategy with this address. */
export const readRecording = (address: string) =>
  load(address.replace('/', '-')) as Promise<Recording>;

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
