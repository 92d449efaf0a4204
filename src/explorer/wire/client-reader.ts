import { withLabTime } from '../time.ts';
import { type Message, message, ProtocolError, Reader, text } from './messages.ts';
import { normal } from './passing.ts';
import { type Portal, type Prepared, Unit } from './unit.ts';
import { decode, formatAt } from './values.ts';

/** The next request of the client. */
export type ClientRequest =
  | { kind: 'unit'; unit: Unit }
  /** Data for a running COPY. */
  | { kind: 'copy'; bytes: Buffer }
  | { kind: 'end' };

const SIMPLE = { isSimple: true };
/** The types of messages that the extended protocol gathers until Sync or Flush. */
const GATHERED = 'PBDEC';

/** Reads the messages of a client, and groups the messages into units. */
export class ClientReader {
  readonly #replacesTime: boolean;
  readonly #statements = new Map<string, Prepared>();
  readonly #portals = new Map<string, Portal>();
  /** The messages since the last Sync or Flush. */
  #gathered: Message[] = [];
  /** The last unit, if a Flush has ended it and its Sync has not come yet. */
  #open: Unit | undefined;

  constructor(replacesTime: boolean) {
    this.#replacesTime = replacesTime;
  }

  /** The bytes that wait for a Sync or a Flush. */
  get size(): number {
    return this.#gathered.reduce((sum, { whole }) => sum + whole.length, 0);
  }

  /**
   * Reads a message. Returns a request. Returns undefined if the client must send more, or if the
   * client goes on with its last unit.
   */
  read(read: Message): ClientRequest | undefined {
    const { type } = read;
    if (GATHERED.includes(type)) this.#gathered.push(this.#inLabTime(read));
    else if (type === 'S' || type === 'H') return this.#gather(read);
    else if (type === 'Q') return this.#query(read);
    else if (type === 'F')
      return { kind: 'unit', unit: whole('function call', SIMPLE, read.whole) };
    else if ('dcf'.includes(type)) return { kind: 'copy', bytes: read.whole };
    else if (type === 'X') return { kind: 'end' };
    else throw new ProtocolError(`a client sends a message of the type ${JSON.stringify(type)}`);
    return undefined;
  }

  #query(read: Message): ClientRequest {
    const { body, whole: bytes } = this.#inLabTime(read);
    const unit = whole(normal(new Reader(body).text()), SIMPLE, bytes);
    unit.executes = true;
    return { kind: 'unit', unit };
  }

  #gather(end: Message): ClientRequest | undefined {
    const messages = this.#gathered;
    this.#gathered = [];
    const isWhole = end.type === 'S';
    const open = this.#open;
    const unit = open ?? new Unit(...this.#aboutOf(messages, isWhole));
    for (const each of messages) this.#note(each, unit);
    this.#open = isWhole ? undefined : unit;
    unit.add(Buffer.concat([...messages, end].map((each) => each.whole)), { isWhole });
    return open ? undefined : { kind: 'unit', unit };
  }

  /** Returns the text of a unit, and whether the unit is a step. */
  #aboutOf(messages: Message[], isWhole: boolean): [string, { isStep: boolean }] {
    const isStep = !isWhole || messages.some(({ type }) => 'PBE'.includes(type));
    const portals = new Map<string, string>();
    const parsed = new Map<string, string>();
    const said: string[] = [];
    for (const { type, body } of messages) {
      const reader = new Reader(body);
      if (type === 'P') parsed.set(reader.text(), normal(reader.text()));
      if (type === 'B') portals.set(reader.text(), this.#textOf(reader.text(), parsed));
      if (type === 'E') said.push(this.#textOfPortal(reader.text(), portals));
    }
    const prepares = [...portals.values(), ...parsed.values()];
    return [(said.length > 0 ? said : prepares.slice(0, 1)).join('; '), { isStep }];
  }

  #textOf = (name: string, parsed: Map<string, string>): string =>
    parsed.get(name) ?? this.#statements.get(name)?.text ?? '';

  #textOfPortal = (name: string, portals: Map<string, string>): string =>
    portals.get(name) ?? this.#portals.get(name)?.prepared.text ?? '';

  #note({ type, body }: Message, unit: Unit) {
    const reader = new Reader(body);
    if (type === 'P') this.#parse(reader, unit);
    else if (type === 'B') this.#bind(reader, unit);
    else if (type === 'E') {
      unit.executes = true;
      unit.executing.push(this.#portals.get(reader.text()) ?? UNKNOWN_PORTAL);
    } else if (type === 'D' || type === 'C') {
      const isStatement = reader.bytes(1).toString() === 'S';
      const name = reader.text();
      const known = isStatement ? this.#statements.get(name) : this.#portals.get(name);
      if (type === 'D') unit.describing.push(known ?? UNKNOWN_PORTAL);
      else (isStatement ? this.#statements : this.#portals).delete(name);
    }
  }

  #parse(reader: Reader, unit: Unit) {
    const name = reader.text();
    const prepared = {
      text: normal(reader.text()),
      types: reader.list(() => reader.int32()),
      fields: [],
    };
    this.#statements.set(name, prepared);
    unit.parsed.add(prepared);
  }

  #bind(reader: Reader, unit: Unit) {
    const name = reader.text();
    const prepared = this.#statements.get(reader.text()) ?? { text: '', types: [], fields: [] };
    const formats = reader.list(() => reader.int16());
    let index = 0;
    const params = reader.list(() => {
      const value = decode(reader.value(), prepared.types[index] ?? 0, formatAt(formats, index));
      index++;
      return value;
    });
    this.#portals.set(name, { prepared, params, formats: reader.list(() => reader.int16()) });
    if (unit.params.length === 0) unit.params.push(...params);
  }

  /** Whether the client goes on with a statement that `unit` has only prepared. */
  static goesOn(unit: Unit, next: Unit): boolean {
    if (next.isSimple || next.parsed.size > 0) return false;
    return !next.isStep || next.executing.some(({ prepared }) => unit.parsed.has(prepared));
  }

  #inLabTime(read: Message): Message {
    if (!this.#replacesTime || !(read.type === 'Q' || read.type === 'P')) return read;
    const reader = new Reader(read.body);
    const name = read.type === 'P' ? [text(reader.text())] : [];
    const said = reader.text();
    const changed = withLabTime(said);
    if (changed === said) return read;
    const rest = read.body.subarray(read.body.length - restLength(read, name, said));
    const bytes = message(read.type, ...name, text(changed), rest);
    return { type: read.type, whole: bytes, body: bytes.subarray(5) };
  }
}

/** The bytes after the text of a Query or a Parse. */
const restLength = ({ body }: Message, name: Buffer[], said: string): number =>
  body.length - Buffer.concat([...name, text(said)]).length;

const UNKNOWN_PORTAL: Portal = {
  prepared: { text: '', types: [], fields: [] },
  params: [],
  formats: [],
};

function whole(said: string, about: { isSimple: boolean }, bytes: Buffer): Unit {
  const unit = new Unit(said, about);
  unit.add(bytes, { isWhole: true });
  return unit;
}
