/** One message of PostgreSQL's protocol. `whole` also contains the type and the length. */
export interface Message {
  /** Empty for the first messages of a client, which have no type. */
  type: string;
  body: Buffer;
  whole: Buffer;
}

/** Thrown if the client or the server breaks the protocol. */
export class ProtocolError extends Error {
  override name = 'ProtocolError';
}

const LENGTH_BYTES = 4;

/** Cuts a stream of bytes into messages. */
export class Framing {
  /** The number of bytes of a message type. 0 while the messages have no type. */
  #typeBytes: 0 | 1;
  readonly #most: number;
  #chunks: Buffer[] = [];
  #size = 0;
  /** The number of bytes at which we join the chunks. */
  #wanted = 0;

  /** `most` is the maximum length of a message in bytes. A longer message is an error. */
  constructor(most: number, { hasTypes = true } = {}) {
    this.#most = most;
    this.#typeBytes = hasTypes ? 1 : 0;
  }

  /** From now on each message begins with its type. */
  expectTypes() {
    this.#typeBytes = 1;
  }

  add(chunk: Buffer) {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  /** Returns the next whole message, or undefined if more bytes are needed. */
  next(): Message | undefined {
    const head = this.#typeBytes + LENGTH_BYTES;
    if (this.#size < Math.max(head, this.#wanted)) return undefined;
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    const bytes = this.#chunks[0] as Buffer;
    const length = bytes.readUInt32BE(this.#typeBytes);
    if (length < LENGTH_BYTES)
      throw new ProtocolError(`a message says that it has ${length} bytes`);
    if (length > this.#most)
      throw new ProtocolError(`a message has ${length} bytes, and ${this.#most} are allowed`);
    const end = this.#typeBytes + length;
    this.#wanted = end;
    if (bytes.length < end) return undefined;
    this.#wanted = 0;
    this.#chunks = bytes.length > end ? [bytes.subarray(end)] : [];
    this.#size -= end;
    return {
      type: bytes.toString('latin1', 0, this.#typeBytes),
      body: bytes.subarray(head, end),
      whole: bytes.subarray(0, end),
    };
  }
}

/** Makes a message. Only the first message of a client has no type. */
export function message(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type, 'latin1'), int32(body.length + LENGTH_BYTES), body]);
}

export const text = (value: string): Buffer => Buffer.from(`${value}\0`);

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

export function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

/** Reads the parts of a message, one after the other. */
export class Reader {
  readonly #body: Buffer;
  #at = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#body.length;
  }

  int16(): number {
    return this.bytes(2).readInt16BE();
  }

  int32(): number {
    return this.bytes(4).readInt32BE();
  }

  /** Reads a list: first the number of its elements, then each element by `read`. */
  list<T>(read: () => T): T[] {
    const count = this.int16() & 0xffff;
    return Array.from({ length: count }, read);
  }

  bytes(length: number): Buffer {
    const end = this.#at + length;
    if (length < 0 || end > this.#body.length) throw new ProtocolError('a message is too short');
    const bytes = this.#body.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  /** Reads a length and a value of this length. Null if the length is -1. */
  value(): Buffer | null {
    const length = this.int32();
    return length === -1 ? null : this.bytes(length);
  }

  text(): string {
    const end = this.#body.indexOf(0, this.#at);
    if (end < 0) throw new ProtocolError('a text in a message has no end');
    const found = this.#body.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return found;
  }
}

/** Returns the fields of an ErrorResponse or a NoticeResponse, by their letters. */
export function fieldsOf(body: Buffer): Record<string, string> {
  const reader = new Reader(body);
  const fields: Record<string, string> = {};
  while (!reader.isAtEnd) {
    const letter = reader.bytes(1).toString('latin1');
    if (letter === '\0') break;
    fields[letter] = reader.text();
  }
  return fields;
}

export function errorResponse(severity: 'ERROR' | 'FATAL', code: string, said: string): Buffer {
  const fields = { S: severity, V: severity, C: code, M: said };
  const parts = Object.entries(fields).map(([letter, value]) => text(letter + value));
  return message('E', ...parts, Buffer.alloc(1));
}

/** `I`: no transaction is open. `T`: a transaction is open. `E`: a failed transaction is open. */
export type Status = 'I' | 'T' | 'E';

export const readyForQuery = (status: Status): Buffer => message('Z', Buffer.from(status));

export const SYNC = message('S');
export const TERMINATE = message('X');
