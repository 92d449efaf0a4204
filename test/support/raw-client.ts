import { connect, type Socket } from 'node:net';
import { Framing, type Message } from '../../src/explorer/wire/messages.ts';
import { oneConnection } from '../../src/platform/db/one-connection.ts';

/** A client that sends any bytes, and sees each message of the server. */
export class RawClient {
  readonly socket: Socket;
  readonly #framing = new Framing(1024 ** 2);
  #heard: Message[] = [];
  #isClosed = false;
  #wake = () => {};

  constructor(socket: Socket) {
    this.socket = socket;
    const wake = () => this.#wake();
    socket.on('error', wake);
    socket.on('close', () => {
      this.#isClosed = true;
      wake();
    });
    socket.on('data', (chunk) => {
      this.#framing.add(chunk);
      for (let read = this.#framing.next(); read; read = this.#framing.next())
        this.#heard.push(read);
      wake();
    });
  }

  /** Returns a client that is connected, but has sent nothing yet. */
  static silent(address: string): RawClient {
    const { hostname: host, port } = new URL(address);
    return new RawClient(connect({ host, port: Number(port) }));
  }

  /** Returns a client that is ready for queries. A driver has opened its connection. */
  static async ready(address: string): Promise<RawClient> {
    let socket: Socket | undefined;
    const driver = oneConnection(address, {}, (made) => {
      socket = made;
    });
    await driver`select 1`;
    if (!socket) throw new Error('the driver has made no connection');
    for (const event of ['data', 'close', 'error', 'drain']) socket.removeAllListeners(event);
    return new RawClient(socket);
  }

  send(...bytes: Buffer[]) {
    this.socket.write(Buffer.concat(bytes));
  }

  /** Waits for a message of this type, or for the end. Returns all messages since the last call. */
  async until(type: string): Promise<Message[]> {
    for (;;) {
      const at = this.#heard.findIndex((each) => each.type === type);
      if (at >= 0) return this.#heard.splice(0, at + 1);
      if (this.#isClosed) return this.#heard.splice(0);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Waits until the server has closed the connection. Returns all messages since the last call. */
  ended(): Promise<Message[]> {
    return this.until('no such message');
  }
}
