import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';

const TYPES = { A: 1, AAAA: 28 };
const NO_SUCH_NAME = 3;

export interface Question {
  name: string;
  type: keyof typeof TYPES;
  /** The number of earlier questions with this name and type. */
  before: number;
}

/**
 * A function that returns the addresses of a name. Undefined means that the name does not exist,
 * and `silence` means that no answer comes.
 */
export type Zone = (question: Question) => string[] | undefined | 'silence';

/** Starts a real name server on a free port of the loopback address. */
export async function startNameServer(zone: Zone) {
  const questions: Question[] = [];
  const socket = createSocket('udp4').on('message', (message, from) => {
    const question = read(message, questions);
    questions.push(question);
    const addresses = zone(question);
    if (addresses !== 'silence') socket.send(answer(message, question, addresses), from.port);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    close: () => socket.close(),
  };
}

/**
 * Reads the question in a message: 12 bytes of header, then labels, then the type and the class.
 */
function read(message: Buffer, questions: Question[]): Question {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const name = labels.join('.').toLowerCase();
  const type = message.readUInt16BE(at + 1) === TYPES.AAAA ? 'AAAA' : 'A';
  const before = questions.filter((each) => each.name === name && each.type === type).length;
  return { name, type, before };
}

function answer(message: Buffer, { name, type }: Question, addresses: string[] | undefined) {
  const nameBytes = name.length + 2;
  const question = message.subarray(12, 12 + nameBytes + 4);
  const parsed = (addresses ?? []).map((each) => ipaddr.parse(each));
  const right = parsed.filter((each) => each.kind() === (type === 'A' ? 'ipv4' : 'ipv6'));
  const header = Buffer.alloc(12);
  message.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | (addresses ? 0 : NO_SUCH_NAME), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(right.length, 6);
  return Buffer.concat([
    header,
    question,
    ...right.map((each) => record(type, each.toByteArray())),
  ]);
}

/** Makes a record that points to the name in the question. Its time to live is 0. */
function record(type: keyof typeof TYPES, bytes: number[]): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(TYPES[type], 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(bytes.length, 10);
  return Buffer.concat([head, Buffer.from(bytes)]);
}
