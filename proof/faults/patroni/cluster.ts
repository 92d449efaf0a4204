import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import path from 'node:path';
import { type Home, openHome } from '../../../src/platform/postgres/home.ts';
import { freePort } from '../../../src/platform/postgres/postmaster.ts';
import { programFolders } from '../../../src/platform/process/environment.ts';
import { PlainError } from '../../../src/platform/process/errors.ts';
import { findOnPath } from '../../../src/platform/process/find-on-path.ts';
import { markOf } from '../../../src/platform/process/process-table.ts';
import { inProject } from '../../../src/platform/process/project.ts';
import { until } from '../../../src/platform/waiting/until.ts';
import { Node } from './node.ts';

const NAMES = ['one', 'two', 'three'];
const PROGRAMS = ['patroni', 'etcd', 'haproxy'];
/** Debian's package of PostgreSQL puts each version into a separate folder below this folder. */
const VERSIONS = '/usr/lib/postgresql';
const HEALTHY_MS = 120_000;
const LOOK_MS = 200;

/** Patroni's report about one node. */
interface Member {
  name: string;
  role: 'leader' | 'sync_standby' | 'replica';
  state: string;
}

/**
 * Returns the reason why this machine cannot run a cluster. Returns undefined if the machine can
 * run a cluster.
 */
export function whyNoCluster(): string | undefined {
  const missing = PROGRAMS.filter((name) => findProgram(name) === undefined);
  if (missing.length > 0) return `this machine lacks ${missing.join(', ')}`;
  return newestBin() === undefined ? `there is no PostgreSQL in ${VERSIONS}` : undefined;
}

const findProgram = (name: string) =>
  findOnPath(name, [programFolders(), '/usr/sbin'].join(path.delimiter));

const newestBin = (): string | undefined => {
  if (!fs.existsSync(VERSIONS)) return undefined;
  const newest = fs
    .readdirSync(VERSIONS)
    .map(Number)
    .sort((a, b) => b - a)[0];
  return newest ? `${VERSIONS}/${newest}/bin` : undefined;
};

/** Three nodes of Patroni on loopback, with the files in deploy/failover. */
export class Cluster {
  readonly nodes: Node[];
  /** The address of the database with the hosts of the three nodes. */
  readonly url: string;
  /** The address of the database through HAProxy. */
  readonly balancedUrl: string;
  readonly #helpers: ChildProcess[];
  readonly #home: string;

  private constructor(
    nodes: Node[],
    urls: { url: string; balancedUrl: string },
    helpers: ChildProcess[],
    home: string,
  ) {
    this.nodes = nodes;
    this.url = urls.url;
    this.balancedUrl = urls.balancedUrl;
    this.#helpers = helpers;
    this.#home = home;
  }

  static async open(stop: AbortSignal): Promise<Cluster> {
    const owner = markOf(process.pid);
    const opened = openHome({ keepIn: undefined, owner, durable: true });
    const password = randomBytes(12).toString('hex');
    const etcd = `127.0.0.1:${await freePort()}`;
    const ports: { port: number; api: number }[] = [];
    for (const _ of NAMES) ports.push({ port: await freePort(), api: await freePort() });
    const nodes = NAMES.map((name, n) => {
      const own = ports[n] ?? { port: 0, api: 0 };
      writeConfig(opened, name, {
        ...{ NAME: name, HOST: '127.0.0.1', NETWORK: '127.0.0.1/32', ETCD: etcd },
        ...{ PORT: String(own.port), API_PORT: String(own.api), PASSWORD: password },
        ...{ DATA: path.join(opened.home, name), BIN: newestBin() ?? '' },
        PGPASS: path.join(opened.home, `${name}.pgpass`),
      });
      return new Node(name, own, opened.home, opened.account);
    });
    const balancer = await freePort();
    writeBalancer(opened, balancer, nodes);
    const addressOf = (hosts: string) => `postgres://postgres:${password}@${hosts}/postgres`;
    const urls = {
      url: addressOf(nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')),
      balancedUrl: addressOf(`127.0.0.1:${balancer}`),
    };
    const helpers = [
      await startEtcd(opened, etcd),
      run(opened, 'haproxy', ['-db', '-f', BALANCER]),
    ];
    const cluster = new Cluster(nodes, urls, helpers, opened.home);
    try {
      for (const node of nodes) node.start();
      await cluster.untilHealthy(stop);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** Resolves when all nodes run, and a leader and a synchronous standby are among them. */
  async untilHealthy(stop: AbortSignal) {
    const isHealthy = async () => {
      const members = await this.members();
      const good = members.filter(({ state }) => state === 'running' || state === 'streaming');
      const roles = new Set(good.map(({ role }) => role));
      return good.length === NAMES.length && roles.has('leader') && roles.has('sync_standby');
    };
    if (!(await until(isHealthy, { everyMs: LOOK_MS, withinMs: HEALTHY_MS, stop })))
      throw new PlainError(
        `The cluster did not become healthy: ${JSON.stringify(await this.members())}`,
      );
  }

  async leader(): Promise<Node> {
    return this.#nodeOf('leader');
  }

  async synchronousStandby(): Promise<Node> {
    return this.#nodeOf('sync_standby');
  }

  /** Resolves when a node other than `than` is the leader. */
  async untilLedByAnother(than: Node, stop: AbortSignal) {
    const isOther = async () =>
      (await this.members(than)).some(
        ({ role, name, state }) => role === 'leader' && name !== than.name && state === 'running',
      );
    if (!(await until(isOther, { everyMs: LOOK_MS, withinMs: HEALTHY_MS, stop })))
      throw new PlainError(`No node took over from ${than.name}.`);
  }

  /** Makes the synchronous standby the leader by a planned switchover. */
  async switchOver() {
    const [leader, candidate] = [await this.leader(), await this.synchronousStandby()];
    const body = JSON.stringify({ leader: leader.name, candidate: candidate.name });
    const signal = AbortSignal.timeout(HEALTHY_MS);
    const response = await fetch(`${leader.apiUrl}/switchover`, { method: 'POST', body, signal });
    if (!response.ok)
      throw new PlainError(`Patroni refused the switchover: ${await response.text()}`);
  }

  /**
   * Returns the report about all nodes from the first node that answers. Returns an empty list if
   * no node answers.
   */
  async members(except?: Node): Promise<Member[]> {
    for (const node of this.nodes.filter((each) => each !== except)) {
      const signal = AbortSignal.timeout(1_000);
      try {
        const response = await fetch(`${node.apiUrl}/cluster`, { signal });
        return ((await response.json()) as { members: Member[] }).members;
      } catch {
        // This node is dead or frozen. Ask the next node.
      }
    }
    return [];
  }

  async #nodeOf(role: Member['role']): Promise<Node> {
    const member = (await this.members()).find((each) => each.role === role);
    const node = this.nodes.find(({ name }) => name === member?.name);
    if (!node) throw new PlainError(`The cluster has no ${role}.`);
    return node;
  }

  async stop() {
    await Promise.all(this.nodes.map((node) => node.kill()));
    for (const helper of this.#helpers) helper.kill('SIGKILL');
    await fs.promises.rm(this.#home, { recursive: true, force: true, maxRetries: 5 });
  }
}

const BALANCER = 'haproxy.cfg';

/**
 * Returns the text of a file of deploy/failover. Each name in angle brackets is replaced by its
 * value.
 */
function fill(name: string, values: Record<string, string>): string {
  const text = fs.readFileSync(inProject(`deploy/failover/${name}`), 'utf8');
  return text.replace(/<([A-Z_]+)>/g, (word, key: string) => values[key] ?? word);
}

function write({ home, account }: Home, name: string, text: string) {
  const file = path.join(home, name);
  fs.writeFileSync(file, text, { mode: 0o600 });
  if (account) fs.chownSync(file, account.uid, account.gid);
}

const writeConfig = (home: Home, name: string, values: Record<string, string>) =>
  write(home, `${name}.yml`, fill('patroni.yml', values));

function writeBalancer(home: Home, port: number, nodes: Node[]) {
  const servers = nodes.map(
    ({ name, port: own, apiUrl }) =>
      `    server ${name} 127.0.0.1:${own} check port ${new URL(apiUrl).port}\n`,
  );
  const config = fill('haproxy.cfg', { HOST: '127.0.0.1', PORT: String(port) });
  write(home, BALANCER, `${config}${servers.join('')}`);
}

function run({ home, account }: Home, program: string, args: string[]): ChildProcess {
  const log = fs.openSync(path.join(home, `${program}.log`), 'a');
  const child = spawn(findProgram(program) ?? program, args, {
    ...account,
    cwd: home,
    detached: true,
    stdio: ['ignore', log, log],
  });
  fs.closeSync(log);
  child.on('error', () => undefined);
  return child;
}

/** Starts one etcd server. Production needs three etcd servers on three machines. */
async function startEtcd(home: Home, client: string): Promise<ChildProcess> {
  const peer = `http://127.0.0.1:${await freePort()}`;
  const urls = [`http://${client}`, peer];
  const names = { client: urls[0] ?? '', peer };
  const child = run(home, 'etcd', [
    ...['--enable-v2', '--data-dir', path.join(home.home, 'etcd')],
    ...['--listen-client-urls', names.client, '--advertise-client-urls', names.client],
    ...['--listen-peer-urls', names.peer, '--initial-advertise-peer-urls', names.peer],
    ...['--initial-cluster', `default=${names.peer}`],
  ]);
  await once(child, 'spawn');
  return child;
}
