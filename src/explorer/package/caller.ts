import { fileURLToPath } from 'node:url';

/** The place in a person's code that called the explorer. */
export interface Caller {
  /** The absolute path of the file. Undefined if the code has no file. */
  file: string | undefined;
  line: number;
}

/** A frame of a stack, such as `at test (file:///home/ann/bank.test.ts:12:3)`. */
const FRAME = /^at (?:async )?(?:.* \()?((?:file:\/\/\/|\/|[A-Za-z]:[\\/]).*?):(\d+):\d+\)?$/;

/** Reads the place in a frame of V8's stack. Undefined if the frame is in no file. */
export function placeIn(frame: string): Caller | undefined {
  const [, file = '', line] = FRAME.exec(frame.trim()) ?? [];
  if (file === '') return undefined;
  return { file: file.startsWith('file:') ? fileURLToPath(file) : file, line: Number(line) };
}

/** Finds the caller of `called`. V8 leaves out the frames of `called` and of everything it calls. */
export function callerOf(called: (...given: never[]) => unknown): Caller {
  const holder: { stack?: string } = {};
  Error.captureStackTrace(holder, called);
  for (const frame of holder.stack?.split('\n').slice(1) ?? []) {
    const place = placeIn(frame);
    if (place) return place;
  }
  return { file: undefined, line: 0 };
}
