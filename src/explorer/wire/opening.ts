import { LAB_TIME } from '../time.ts';
import { int32, type Message, message, ProtocolError, Reader, text } from './messages.ts';

/** The first message of a connection. */
export type Opening =
  | { kind: 'encryption' }
  | { kind: 'cancel' }
  | { kind: 'start'; version: number; parameters: Map<string, string> };

const CANCEL = 80877102;
const SSL = 80877103;
const GSS = 80877104;
/**
 * The major version of the protocol, which is the high half of a version number. The low half is
 * the minor version.
 */
const MAJOR = 3;

export function readOpening(body: Buffer): Opening {
  const reader = new Reader(body);
  const code = reader.int32();
  if (code === SSL || code === GSS) return { kind: 'encryption' };
  if (code === CANCEL) return { kind: 'cancel' };
  if (code >> 16 !== MAJOR)
    throw new ProtocolError(`a connection begins with ${hex(body.subarray(0, 4))}, no version 3`);
  const parameters = new Map<string, string>();
  for (let name = reader.text(); name !== ''; name = reader.text())
    parameters.set(name, reader.text());
  return { kind: 'start', version: code, parameters };
}

const hex = (bytes: Buffer) => bytes.toString('hex');

export function startMessage(version: number, parameters: Map<string, string>): Buffer {
  const pairs = [...parameters].flatMap(([name, value]) => [text(name), text(value)]);
  return message('', int32(version), ...pairs, Buffer.alloc(1));
}

/**
 * Puts the explorer's functions before the functions of PostgreSQL. The schemas in the client's own
 * `search_path` come last.
 */
export function addLabTime(parameters: Map<string, string>) {
  const own = parameters.get('search_path');
  parameters.set('search_path', own ? `lab_time, pg_catalog, ${own}` : LAB_TIME.search_path);
}

/** The code of the server's question for a password by SASL. */
const SASL = 10;

/**
 * Takes the methods that bind the password to TLS out of the server's offer. Only our connection to
 * the server has TLS. libpq gives up if such a method is offered to a client without TLS.
 */
export function withoutChannelBinding({ type, body, whole }: Message): Buffer {
  const reader = new Reader(body);
  if (type !== 'R' || reader.int32() !== SASL) return whole;
  const methods: string[] = [];
  for (let name = reader.text(); name !== ''; name = reader.text()) methods.push(name);
  const usable = methods.filter((name) => !name.endsWith('-PLUS'));
  return message('R', int32(SASL), ...usable.map(text), Buffer.alloc(1));
}
