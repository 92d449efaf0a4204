import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { z } from 'zod';

/** The file descriptor of the channel in a guarded process. */
export const CHANNEL_FD = 3;

/** A student's file may write an endless line. Answers of the lab are far shorter. */
const LONGEST_LINE = 8_000_000;

/**
 * The name under which a guarded process runs. The process has a channel to its parent.
 * `process.send` would not do: the student's file could use it too. Broken bytes on the channel of
 * Node.js would even end the parent.
 */
export const GUARDED = 'rowlock-guarded';
export const isGuarded = (): boolean => process.argv0 === GUARDED;

const envelope = z.object({ secret: z.string(), message: z.unknown() });

const lineOf = (secret: string, message: unknown) => `${JSON.stringify({ secret, message })}\n`;

/** The end of the channel in the guarded process. */
export interface Channel<Told, Heard> {
  /** Resolves when the message has left this process. */
  tell(message: Told): Promise<void>;
  onMessage(hear: (message: Heard) => void): void;
  /** Calls `act` when the parent has gone. */
  onClose(act: () => void): void;
  /** The bytes of a message, for a thread that writes them itself. */
  lineOf(message: Told): string;
}

let isOpen = false;

/**
 * Opens the channel of this process. `first` is sent at once, before the student's file is loaded.
 * The parent believes only the secret of this message. The file cannot open the channel again.
 */
export function openChannel<Told, Heard>(first: Told): Channel<Told, Heard> {
  if (isOpen) throw new Error('The channel is open already.');
  isOpen = true;
  const secret = randomUUID();
  const socket = new Socket({ fd: CHANNEL_FD, readable: true, writable: true });
  // A broken channel also closes.
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
 * Hears the messages of a guarded process. Ignores lines that are no messages, and messages without
 * the secret: the student's file wrote them.
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
