import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import path from 'node:path';
import type { Account } from '../../../src/platform/postgres/binaries.ts';

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

  /** Kills the main process of PostgreSQL. Patroni keeps running. */
  killPostgres() {
    const pid = this.#postmaster();
    if (pid !== undefined) signal([pid], 'SIGKILL');
  }

  /** Kills all processes of the node, as if its machine were lost. */
  async kill() {
    const patroni = this.#patroni;
    // An event may have killed this node already. After a kill, `exitCode` stays null, and only
    // `signalCode` is set.
    const lives = patroni?.exitCode === null && patroni.signalCode === null;
    const gone = lives && once(patroni, 'exit');
    signal(this.#processes(), 'SIGKILL');
    await gone;
  }

  /** Pauses all processes of the node with SIGSTOP, as if its machine were frozen. */
  freeze() {
    signal(this.#processes(), 'SIGSTOP');
  }

  thaw() {
    signal(this.#processes(), 'SIGCONT');
  }

  /**
   * The path of the data. The path of the configuration is the same with the ending `.yml`. The
   * command lines of Patroni and PostgreSQL contain these paths.
   */
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

  /**
   * Returns the process ids of Patroni, of PostgreSQL and of all their children, parents first.
   * Patroni and PostgreSQL run in different sessions, so one process group does not contain both.
   */
  #processes(): number[] {
    const roots = [this.#patroni?.pid, this.#postmaster()];
    const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .map(([pid, parent, ...args]) => ({
        ...{ pid: Number(pid), parent: Number(parent) },
        // A killed PostgreSQL leaves a file with its process id. Another program may now have this
        // id.
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
