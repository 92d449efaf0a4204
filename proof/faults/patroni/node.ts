import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import path from 'node:path';
import type { Account } from '../../postgres/binaries.ts';

/** One node of a cluster: Patroni, and the PostgreSQL that Patroni runs. */
export class Node {
  readonly name: string;
  readonly port: number;
  readonly apiUrl: string;
  readonly #home: string;
  readonly #account: Account;
  #patroni: ChildProcess | undefined;

  /** `home` contains the configuration `NAME.yml`, and the data in the folder NAME. */
  constructor(name: string, ports: { port: number; api: number }, home: string, account: Account) {
    this.name = name;
    this.port = ports.port;
    this.apiUrl = `http://127.0.0.1:${ports.api}`;
    this.#home = home;
    this.#account = account;
  }

  start() {
    const log = fs.openSync(path.join(this.#home, `${this.name}.log`), 'a');
    this.#patroni = spawn('patroni', [`${this.#files}.yml`], {
      ...this.#account,
      cwd: this.#home,
      detached: true,
      stdio: ['ignore', log, log],
    });
    this.#patroni.on('error', () => undefined);
    fs.closeSync(log);
  }

  /** Kills the first process of PostgreSQL. Patroni lives on. */
  killPostgres() {
    const pid = this.#postmaster();
    if (pid !== undefined) signal([pid], 'SIGKILL');
  }

  /** Kills all processes of the node, as if its machine were lost. */
  async kill() {
    const patroni = this.#patroni;
    // A node may be killed twice: by an event, and at the end. After a signal, `exitCode` stays null.
    const lives = patroni?.exitCode === null && patroni.signalCode === null;
    const gone = lives && once(patroni, 'exit');
    signal(this.#processes(), 'SIGKILL');
    await gone;
  }

  /** Stops all processes of the node without a word, as if its machine were frozen. */
  freeze() {
    signal(this.#processes(), 'SIGSTOP');
  }

  thaw() {
    signal(this.#processes(), 'SIGCONT');
  }

  /** The commands of Patroni and of PostgreSQL name the configuration and the data by this path. */
  get #files(): string {
    return path.join(this.#home, this.name);
  }

  #postmaster(): number | undefined {
    try {
      const file = path.join(this.#files, 'postmaster.pid');
      return Number(fs.readFileSync(file, 'utf8').split('\n')[0]);
    } catch {
      return undefined;
    }
  }

  /** Patroni and PostgreSQL with their children, parents first. Each has a session of its own. */
  #processes(): number[] {
    const roots = [this.#patroni?.pid, this.#postmaster()];
    const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .map(([pid, parent, ...args]) => ({
        ...{ pid: Number(pid), parent: Number(parent) },
        // A killed PostgreSQL leaves its number. Another program may have this number now.
        isRoot: roots.includes(Number(pid)) && args.join(' ').includes(this.#files),
      }));
    const found = new Set(rows.filter(({ isRoot }) => isRoot).map(({ pid }) => pid));
    for (const pid of found) for (const row of rows) if (row.parent === pid) found.add(row.pid);
    return [...found];
  }
}

function signal(pids: number[], name: NodeJS.Signals) {
  for (const pid of pids)
    try {
      process.kill(pid, name);
    } catch {
      // The process has ended in the meantime.
    }
}
