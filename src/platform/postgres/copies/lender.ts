import { execFile } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, PlainError } from '../../process/errors.ts';
import type { Account } from '../binaries.ts';
import { type Cluster, openCluster, urlOf } from '../cluster.ts';
import { copiesOf, dataOf, openHome } from '../home.ts';
import { clearTemporary } from '../leftovers.ts';
import { type Server, startServer } from '../postmaster.ts';
import type { CopyOrder, LenderReport, LendOrder } from './orders.ts';

/** The options for a small WAL, which makes each copy smaller. */
const INITDB_OPTIONS = ['--wal-segsize=1'];

export interface Owner {
  /** Aborted when the owner is gone. */
  gone: AbortSignal;
  tell(report: LenderReport): void;
}

/** Lends copies of a server until the owner is gone. Then removes everything. */
export async function lend({ owner: mark, settings, memory }: LendOrder, owner: Owner) {
  const order = { owner: mark, durable: false };
  const first = openHome({ ...order, keepIn: undefined });
  try {
    const cluster = await openCluster(first, order, owner.gone, INITDB_OPTIONS);
    clearTemporary(first.account);
    fs.appendFileSync(path.join(cluster.data, 'postgresql.conf'), `${settings.join('\n')}\n`);
    await prepare(cluster, owner);
    const lender = new Lender(cluster, owner, memory);
    process.on('message', (each: CopyOrder) => lender.obey(each));
    owner.tell({ kind: 'ready' });
    if (!owner.gone.aborted) await once(owner.gone, 'abort');
    await lender.close();
  } finally {
    fs.rmSync(first.home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Starts the first server. Stops this server when the owner has filled it with data. */
async function prepare(cluster: Cluster, { gone, tell }: Owner) {
  const server = await startServer(cluster, gone);
  try {
    const prepared = once(process, 'message', { signal: gone });
    tell({ kind: 'prepare', url: urlOf(cluster, server.port), home: cluster.home });
    await prepared;
  } finally {
    await (gone.aborted ? server.kill() : server.stop('SIGINT'));
  }
}

interface Copy {
  url: string;
  home: string;
  server: Server;
  /** Whether the server has ended by itself. */
  isOver: boolean;
}

/**
 * The number of copies that are started in advance, so that few users wait for a copy and a start.
 */
const SPARES = 2;

class Lender {
  readonly #cluster: Cluster;
  readonly #owner: Owner;
  readonly #memory: number | undefined;
  readonly #lent = new Map<number, Promise<Copy>>();
  readonly #ending = new Set<Promise<void>>();
  readonly #spares: Promise<Copy | undefined>[] = [];
  /** The last spare copy. We make spare copies one after the other, because they share the disk. */
  #last: Promise<unknown> = Promise.resolve();
  #made = 0;

  constructor(cluster: Cluster, owner: Owner, memory: number | undefined) {
    this.#cluster = cluster;
    this.#owner = owner;
    this.#memory = memory;
    makeFolder(copiesOf(cluster.home), cluster);
    while (this.#spares.length < SPARES) this.#addSpare();
  }

  obey(order: CopyOrder) {
    if (order.kind === 'open') this.#open(order.id);
    if (order.kind === 'end') void this.#end(order.id);
  }

  async close() {
    for (const id of this.#lent.keys()) void this.#end(id);
    const spares = await Promise.all(this.#spares);
    await Promise.all([...spares.map((copy) => copy?.server.kill()), ...this.#ending]);
  }

  #open(id: number) {
    const spare = this.#spares.shift();
    this.#addSpare();
    const opened = Promise.resolve(spare).then((copy) =>
      copy && !copy.isOver ? copy : this.#make(),
    );
    this.#lent.set(id, opened);
    opened.then(
      ({ url }) => this.#owner.tell({ kind: 'opened', id, url }),
      (error) => this.#owner.tell({ kind: 'not opened', id, message: messageOf(error) }),
    );
  }

  #end(id: number) {
    const ended = this.#ended(id);
    this.#ending.add(ended);
    return ended.finally(() => this.#ending.delete(ended));
  }

  /** Ends a copy. The owner does not wait for the removal of the data. */
  async #ended(id: number) {
    const copy = await this.#lent.get(id)?.catch(() => undefined);
    this.#lent.delete(id);
    await copy?.server.kill();
    this.#owner.tell({ kind: 'ended', id });
    // If the removal fails, the guard removes the data at its end.
    if (copy) await remove(copy.home).catch(() => undefined);
  }

  /** Starts a spare copy. If this fails, the next `open` tries again and reports the reason. */
  #addSpare() {
    const spare = this.#last.then(() => this.#make()).catch(() => undefined);
    this.#last = spare;
    this.#spares.push(spare);
  }

  async #make(): Promise<Copy> {
    const home = path.join(copiesOf(this.#cluster.home), String(this.#made++));
    const { gone } = this.#owner;
    try {
      const data = await this.#copy(home);
      const server = await startServer({ ...this.#cluster, home, data }, gone);
      if (this.#memory) await limitMemory(server, this.#memory, this.#cluster.account);
      const copy = { url: urlOf(this.#cluster, server.port), home, server, isOver: false };
      void server.ended.then(() => {
        copy.isOver = true;
      });
      return copy;
    } catch (error) {
      await remove(home);
      throw error;
    }
  }

  async #copy(home: string): Promise<string> {
    const { account, data: from } = this.#cluster;
    const data = dataOf(home);
    makeFolder(home, { account });
    // There are hundreds of small files, and this command needs a third of the time of Node's `cp`.
    // The command runs as the account, so the account owns the copy.
    if (process.platform !== 'win32')
      await promisify(execFile)('cp', ['-R', from, data], { ...account, cwd: '/' });
    else await fs.promises.cp(from, data, { recursive: true });
    return data;
  }
}

/**
 * Limits the memory of all later sessions of a server. PostgreSQL has no setting for this limit, so
 * we use a limit of Linux. A session inherits the limit from the first process of its server. On
 * other systems, only PostgreSQL's own limit holds: 1 GB for each value.
 *
 * `more` is in bytes. A session begins with about as much memory as the first process has.
 */
async function limitMemory({ pid }: Server, more: number, account: Account) {
  const status = await fs.promises.readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = Number(/^VmSize:\s+(\d+)/m.exec(status)?.[1]);
  if (!kilobytes) return;
  const most = kilobytes * 1024 + more;
  // Only the owner of a process may limit the process. In a container, not even root may limit a
  // process of another account. Without `prlimit` there is no limit, as on other systems.
  const limit = ['--pid', `${pid}`, `--as=${most}:${most}`];
  await promisify(execFile)('prlimit', limit, { ...account }).catch(() => undefined);
}

function makeFolder(folder: string, { account }: Pick<Cluster, 'account'>) {
  fs.mkdirSync(folder, { mode: 0o700 });
  if (account) fs.chownSync(folder, account.uid, account.gid);
}

const remove = (home: string) =>
  fs.promises.rm(home, { recursive: true, force: true, maxRetries: 5 });

const messageOf = (error: unknown) =>
  error instanceof PlainError ? error.message : describe(error);
