import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** The state of a socket that listens. */
const LISTENS = '0A';

/**
 * Returns the TCP ports on which the processes of this group listen, in their order. Only Linux
 * shows these ports. Empty on other systems.
 */
export function portsOfGroup(group: number): number[] {
  const sockets = listening();
  if (sockets.size === 0) return [];
  const ports = membersOf(group)
    .flatMap(socketsOf)
    .flatMap((inode) => sockets.get(inode) ?? []);
  return [...new Set(ports)].sort((a, b) => a - b);
}

/** Returns the ports of all listening sockets, by the inodes of the sockets. */
function listening(): Map<string, number> {
  const rows = TABLES.flatMap((table) => linesOf(table).slice(1));
  const parts = rows.map((row) => row.trim().split(/\s+/));
  return new Map(
    parts
      .filter(([, , , state]) => state === LISTENS)
      .map(([, address = '', ...rest]) => [
        rest[7] ?? '',
        Number.parseInt(address.split(':')[1] ?? '', 16),
      ]),
  );
}

const membersOf = (group: number): string[] =>
  orNone(() => readdirSync('/proc')).filter(
    (name) => /^\d+$/.test(name) && groupOf(name) === group,
  );

/** The name in parentheses may itself contain spaces and parentheses. */
function groupOf(pid: string): number {
  const [stat = ''] = linesOf(`/proc/${pid}/stat`);
  return Number(stat.replace(/^.*\) /s, '').split(' ')[2]);
}

const socketsOf = (pid: string): string[] =>
  orNone(() => readdirSync(`/proc/${pid}/fd`)).flatMap((fd) =>
    orNone(() => [readlinkSync(`/proc/${pid}/fd/${fd}`)]).flatMap(
      (target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? [],
    ),
  );

const linesOf = (file: string): string[] =>
  orNone(() => readFileSync(file, 'utf8').trimEnd().split('\n'));

/** A process may end while we read about it. */
function orNone(read: () => string[]): string[] {
  try {
    return read();
  } catch {
    return [];
  }
}
