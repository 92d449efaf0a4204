import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { z } from 'zod';

/** The file descriptor of the channel in a guarded process. */
export const CHANNEL_FD = 3;

/**
 * The maximum length of a line. A student's file may write an endless line. The lab's lines are
 * shorter.
 */
const LONGEST_LINE = 8_000_000;

/**
 * The name under which a guarded process runs. The process has a separate channel to its parent.
 * The channel is not `process.send`, because the student's file could use `process.send` too.
 * Broken bytes on the channel of Node.js would even end the parent.
 */
export const GUARDED = 'rowlock-guarded';
export const isGuarded = (): boolean => process.argv0 === GUARDED;

const envelope = z.object({ secret: z.string(), message: z.unknown() });

const lineOf = (secret: string, message: unknown) => `${JSON.stringify({ secret, message })}\n`;

/** The guarded process's side of the channel. */
export interface Channel<Told, Heard> {
  /** Resolves when the message has left this process. */
  tell(message: Told): Promise<void>;
  onMessage(hear: (message: Heard) => void): void;
  /** Calls `act` when the parent has gone. */
  onClose(act: () => void): void;
  /** Returns the line of a message, for a thread that writes the line itself. */
  lineOf(message: Told): string;
}

let isOpen = false;

/**
 * Opens the channel of this process. Sends `first` immediately, before the student's file is
 * loaded. From then on, the parent accepts only messages with the secret of `first`. A second call
 * throws, so the student's file cannot open the channel.
 */
export function openChannel<Told, Heard>(first: Told): Channel<Told, Heard> {
  if (isOpen) throw new Error('The channel is open already.');
  isOpen = true;
  const secret = randomUUID();
  const socket = new Socket({ fd: CHANNEL_FD, readable: true, writable: true });
  // We ignore the error, because a broken channel also closes.
  socket.on('error', () => undefined);
  const tell = (message: Told) =>
    new Promise<void>((resolve) => {
      socket.write(lineOf(secret, message), () => resolve());
    });
  void tell(first);
  return {
    tell,
    onMessage: (hear) => readLines(socket, (line) => hear(JSON.parse(line))),
    onClose: (act) => void socket.once('close', act).resume(),
    lineOf: (message) => lineOf(secret, message),
  };
}

/**
 * Calls `hear` for each message of a guarded process. Ignores lines that are no messages, and
 * messages without the secret, because the student's file may have written them.
 */
export function hearMessages<Heard>(
  channel: Duplex,
  schema: z.ZodType<Heard>,
  hear: (message: Heard) => void,
) {
  let secret: string | undefined;
  readLines(channel, (line) => {
    const sent = envelope.safeParse(parsed(line)).data;
    if (!sent) return;
    secret ??= sent.secret;
    const message = schema.safeParse(sent.message);
    if (sent.secret === secret && message.success) hear(message.data);
  });
}

function readLines(from: Duplex, hear: (line: string) => void) {
  let last = '';
  from.setEncoding('utf8').on('data', (text: string) => {
    const lines = (last + text).split('\n');
    last = lines.pop() ?? '';
    for (const line of lines) hear(line);
    if (last.length > LONGEST_LINE) from.destroy();
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
