import type { Socket } from 'node:net';
import { dial } from '../../platform/db/driver.ts';
import type { Rows } from '../../platform/db/session.ts';
import { inTime } from '../../platform/waiting/deadline.ts';
import { AnswerLost, ROLLED_BACK_BY_TRIAL, RolledBackByTrial } from '../trial.ts';
import { Backend, isOfServer } from './backend.ts';
import { ClientReader, type ClientRequest } from './client-reader.ts';
import { withStatus } from './exchange.ts';
import { Farewell } from './farewell.ts';
import {
  errorResponse,
  Framing,
  type Message,
  ProtocolError,
  Reader,
  readyForQuery,
  TERMINATE,
} from './messages.ts';
import { addLabTime, readOpening, startMessage, withoutChannelBinding } from './opening.ts';
import type { Unit, WireStatement } from './unit.ts';

/** The functions and settings that a connection needs from its session. */
export interface Owner {
  /** The address of the server. It says whether the connection to the server is encrypted. */
  readonly serverUrl: string;
  /** Whether the program gets the explorer's clock. */
  readonly hasLabTime: boolean;
  /** Whether a client gets errors when its connection is closed. Otherwise its socket closes. */
  readonly saysFarewell: boolean;
  /** Plays one unit of a connection, with or without a gate. */
  play(connection: Connection, statement: WireStatement): Promise<Rows>;
  onWaitingOf(connection: Connection): void;
  /** Called when a unit begins to wait or ends. */
  changed(): void;
  /** Called when the connection is closed. Ends the backend, unless the backend has ended itself. */
  closed(connection: Connection, hasEnded: boolean): Promise<void>;
  remark(said: string): void;
}

/** The maximum size of a message of a client. A client that sends a longer message has a fault. */
const MOST_MESSAGE_BYTES = 64 * 1024 * 1024;
/** The maximum size of a message of the server. PostgreSQL allows no longer message. */
const MOST_ANSWER_BYTES = 1024 ** 3;
/**
 * The maximum number of waiting units, and the maximum number of their bytes. Beyond this limit, we
 * read no more from the client.
 */
const MOST_WAITING = { units: 100, bytes: 16 * 1024 * 1024 };
/** The maximum time for the end of an idle backend. After this time we terminate the backend. */
const END_MS = 200;
/** The maximum time until a new client is connected to the server. */
const HANDSHAKE_MS = 10_000;

/** One connection of a program: the client, the server, and the units between them. */
export class Connection {
  readonly backend: Backend;
  /** The process id of the backend. 0 before the server has sent the id. */
  pid = 0;
  readonly #owner: Owner;
  readonly #client: Socket;
  #server: Socket | undefined;
  readonly #fromClient = new Framing(MOST_MESSAGE_BYTES, { hasTypes: false });
  readonly #fromServer = new Framing(MOST_ANSWER_BYTES);
  readonly #reader: ClientReader;
  readonly #line: Unit[] = [];
  #playing: Unit | undefined;
  #isReady = false;
  #closing: Promise<void> | undefined;
  #farewell: Farewell | undefined;

  constructor(client: Socket, owner: Owner) {
    this.#client = client;
    this.#owner = owner;
    this.#reader = new ClientReader(owner.hasLabTime);
    this.backend = new Backend({
      toServer: (bytes) => this.#toServer(bytes),
      toClient: (bytes) => {
        if (!this.#farewell) this.#tell(bytes);
      },
      onWaiting: () => owner.onWaitingOf(this),
      close: () => this.close(),
    });
    client.setNoDelay(true);
    client.setTimeout(HANDSHAKE_MS, () => this.#isReady || this.close());
    client.on('data', (chunk) => this.#guarded(() => this.#readClient(chunk)));
    client.on('error', () => this.close());
    client.on('close', () => this.close());
  }

  /** Whether no unit waits or runs, and no transaction is open. */
  get isIdle(): boolean {
    return !this.isBusy && !(this.#isReady && this.backend.isInTransaction());
  }

  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  /** Whether the connection is closed, but its client still gets errors. */
  get isInFarewell(): boolean {
    return this.#farewell !== undefined;
  }

  /** Whether a unit waits or runs. */
  get isBusy(): boolean {
    return this.#playing !== undefined || this.#line.length > 0;
  }

  #guarded(work: () => void) {
    try {
      work();
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.refuse('08P01', error.message);
    }
  }

  /** Tells the client the reason, and closes the connection. */
  refuse(code: string, why: string) {
    this.#owner.remark(`${why}. The connection is closed.`);
    this.#tell(errorResponse('FATAL', code, why));
    this.close();
  }

  /**
   * Closes a new connection. A program in our own process gets the reason first, because postgres.js
   * connects again and again if a server only closes its connections.
   */
  turnAway() {
    if (this.#owner.saysFarewell)
      this.#tell(errorResponse('FATAL', '57P03', 'the explorer accepts no connection now'));
    this.close();
  }

  #tell(bytes: Buffer) {
    if (!this.#client.destroyed) pour(bytes, this.#client, this.#server);
  }

  #toServer(bytes: Buffer) {
    if (this.#server) pour(bytes, this.#server, this.#client);
  }

  #readClient(chunk: Buffer) {
    this.#fromClient.add(chunk);
    for (let read = this.#fromClient.next(); read; read = this.#fromClient.next())
      if (this.#farewell) this.#farewell.hear(read);
      else if (!this.#closing) this.#hear(read);
    if (this.#mustWait()) this.#client.pause();
  }

  #mustWait(): boolean {
    const bytes = this.#line.reduce((sum, { size }) => sum + size, 0);
    return this.#line.length > MOST_WAITING.units || bytes > MOST_WAITING.bytes;
  }

  #hear(read: Message) {
    if (read.type === '') return this.#open(read);
    // Until the server is ready for queries, the client and the server exchange messages about the
    // password.
    if (!this.#isReady) return this.#greetServer(read);
    if (this.backend.isCopying && read.type === 'S') return this.#toServer(read.whole);
    const request = this.#reader.read(read);
    if (this.#reader.size > MOST_MESSAGE_BYTES)
      throw new ProtocolError('a client sends too much without a Sync');
    if (request) this.#grant(request);
  }

  #open(read: Message) {
    const opening = readOpening(read.body);
    if (opening.kind === 'encryption') return this.#tell(Buffer.from('N'));
    if (opening.kind === 'cancel') return void this.#cancel(read);
    this.#fromClient.expectTypes();
    const { version, parameters } = opening;
    if (this.#owner.hasLabTime) addLabTime(parameters);
    void this.#connect(startMessage(version, parameters));
  }

  #greetServer(read: Message) {
    if (read.type === 'X') return void this.close();
    if (read.type !== 'p') throw new ProtocolError('a client begins before the server is ready');
    this.#toServer(read.whole);
  }

  async #connect(first: Buffer) {
    const server = await this.#dial();
    this.#server = server;
    server?.on('data', (chunk) => this.#guarded(() => this.#readServer(chunk)));
    server?.write(first);
  }

  /** Connects to the server. Undefined if the server cannot be reached, or the client has left. */
  async #dial(): Promise<Socket | undefined> {
    const lost = ({ message }: Error) => {
      if (this.pid === 0) this.#owner.remark(`the server cannot be reached: ${message}`);
      void this.close();
    };
    try {
      const server = await dial(this.#owner.serverUrl);
      server.on('error', lost);
      server.on('close', () => this.close());
      server.setNoDelay(true);
      if (!this.#closing) return server;
      server.destroy();
    } catch (error) {
      lost(error as Error);
    }
    return undefined;
  }

  /** Sends the cancel request of the client to PostgreSQL unchanged. */
  async #cancel(read: Message) {
    const server = await this.#dial();
    server?.end(read.whole);
  }

  #readServer(chunk: Buffer) {
    this.#fromServer.add(chunk);
    for (let read = this.#fromServer.next(); read; read = this.#fromServer.next())
      if (this.#isReady) this.backend.receive(read);
      else this.#greet(read);
  }

  #greet(read: Message) {
    if (read.type === 'K') this.pid = new Reader(read.body).int32();
    this.#isReady = read.type === 'Z';
    this.#tell(withoutChannelBinding(read));
  }

  #grant(request: ClientRequest) {
    if (request.kind === 'end') {
      this.#client.end();
      return this.close();
    }
    if (request.kind === 'copy') return this.#toServer(request.bytes);
    const { prepared } = this.backend;
    if (prepared && this.#line.length === 0 && ClientReader.goesOn(prepared, request.unit))
      return this.backend.goOn(request.unit);
    this.backend.endPrepared();
    this.#line.push(request.unit);
    this.#owner.changed();
    if (!this.#playing) void this.#playNext();
  }

  async #playNext() {
    for (let unit = this.#line.shift(); unit && !this.#closing; unit = this.#line.shift()) {
      this.#playing = unit;
      if (!this.#mustWait()) this.#client.resume();
      await this.#play(unit);
      this.#playing = undefined;
      this.#owner.changed();
    }
  }

  async #play(unit: Unit) {
    try {
      const { text, params } = unit;
      await this.#owner.play(this, { text, params, asArrays: false, unit });
      if (!this.#farewell) this.#answer(unit);
    } catch (error) {
      if (this.#farewell) return;
      if (error instanceof AnswerLost) this.close();
      else if (unit.answer.some(({ type }) => type === 'E')) this.#answer(unit);
      else this.#answerWith(unit, error);
    }
  }

  #answer(unit: Unit) {
    this.#tell(withStatus(unit.answer, this.backend.status));
  }

  /**
   * Answers a unit that has not failed itself, but whose commit has failed. In the simple protocol,
   * the error replaces CommandComplete. In the extended protocol, the error comes after
   * CommandComplete.
   */
  #answerWith(unit: Unit, error: unknown) {
    const code = error instanceof RolledBackByTrial ? ROLLED_BACK_BY_TRIAL : 'XX000';
    const said = isOfServer(error) ? error.whole : errorResponse('ERROR', code, String(error));
    const kept = unit.answer.filter(({ type }) => type !== 'Z' && !(unit.isSimple && type === 'C'));
    const { status } = this.backend;
    this.#tell(Buffer.concat([withStatus(kept, status), said, readyForQuery(status)]));
  }

  /**
   * Closes the connections to the client and to the server. Resolves when PostgreSQL has rolled
   * back the open transaction.
   */
  close(): Promise<void> {
    this.#closing ??= this.#closeBoth();
    return this.#closing;
  }

  async #closeBoth() {
    const isBusy = this.#playing !== undefined;
    const waiting = [...(this.#playing ? [this.#playing] : []), ...this.#line.splice(0)];
    if (this.#owner.saysFarewell && this.#isReady && this.#client.writable)
      this.#sayFarewell(waiting);
    else this.#client.destroySoon();
    const hasEnded = !isBusy && (await this.#endServer());
    await this.#owner.closed(this, hasEnded);
    this.#server?.destroy();
    this.backend.lose();
  }

  /**
   * Asks the backend to end. Returns whether its socket has closed soon. An idle backend rolls back and
   * frees its locks before it closes its socket. A question to PostgreSQL about the end of a backend
   * takes 100 ms, because PostgreSQL itself asks only ten times a second.
   */
  async #endServer(): Promise<boolean> {
    const server = this.#server;
    if (!server?.writable) return false;
    // The socket may end with an error. Then it closes too.
    const closed = new Promise<boolean>((resolve) => server.once('close', () => resolve(true)));
    server.end(TERMINATE);
    return inTime(closed, END_MS, () => false);
  }

  #sayFarewell(waiting: readonly Unit[]) {
    const { prepared } = this.backend;
    this.#farewell = new Farewell(this.#client);
    // The client of a prepared unit has its answer already.
    for (const unit of waiting) if (unit !== prepared) this.#farewell.answer(unit);
    this.#client.resume();
  }

  /** Closes the socket of a client that still gets errors. */
  destroy() {
    this.#client.destroy();
  }

  /** Calls `work` when the socket of the client has closed. */
  whenLeft(work: () => void) {
    if (this.#client.closed) work();
    else this.#client.once('close', work);
  }
}

/**
 * The maximum number of bytes that wait to be written. At this limit, we read no more from their
 * source.
 */
const MOST_UNSENT_BYTES = 16 * 1024 * 1024;

/** Writes the bytes. Stops reading from the source while too many bytes wait to be written. */
function pour(bytes: Buffer, target: Socket, source: Socket | undefined) {
  target.write(bytes);
  if (target.writableLength < MOST_UNSENT_BYTES || source?.isPaused()) return;
  source?.pause();
  target.once('drain', () => source?.resume());
}
