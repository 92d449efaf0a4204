import { hostname, networkInterfaces } from 'node:os';
import { UsageError } from '../../platform/process/errors.ts';
import { nameIn } from '../../service/http/edge/cross-site.ts';

/** An address of this computer that other devices in its network can reach. */
export interface LanAddress {
  /** The name of the network interface, such as `wlan0`. */
  through: string;
  address: string;
}

type Interfaces = ReturnType<typeof networkInterfaces>;

/** Interfaces of containers, virtual machines and tunnels. No phone in the room reaches them. */
const VIRTUAL =
  /^(docker|br-|veth|virbr|vmnet|vboxnet|vEthernet|tun|tap|utun|wg|tailscale|zt|lxc|cni)/i;
const PRIVATE = /^(192\.168\.|10\.|172\.(1[6-9]|2\d|3[01])\.)/;
/** An address that a computer chose by itself, because nobody gave it one. */
const LINK_LOCAL = /^169\.254\./;

/** Returns this computer's IPv4 addresses. The likeliest address of the room comes first. */
export function lanAddresses(interfaces: Interfaces = networkInterfaces()): LanAddress[] {
  const found = Object.entries(interfaces).flatMap(([through, addresses = []]) =>
    addresses
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => ({ through, address })),
  );
  return found
    .filter(({ address }) => !LINK_LOCAL.test(address))
    .toSorted((one, other) => rank(one) - rank(other));
}

const rank = ({ through, address }: LanAddress): number =>
  (VIRTUAL.test(through) ? 2 : 0) + (PRIVATE.test(address) ? 0 : 1);

/** The addresses that mean all networks of a computer, as browsers write these addresses. */
const ALL_NETWORKS = ['0.0.0.0', '[::]', '[::ffff:0:0]'];

export const isAllNetworks = (host: string): boolean => ALL_NETWORKS.includes(nameOfHost(host));

/** Returns a host as browsers write it. Throws a `UsageError` if browsers refuse the host. */
export function nameOfHost(host: string): string {
  const name = nameIn(host.includes(':') ? `[${host}]` : host);
  if (name) return name;
  throw new UsageError(
    `--host ${JSON.stringify(host)} is no address that a browser can open. Give an address or a name of this computer, such as 127.0.0.1.`,
  );
}

/**
 * Returns the names under which the room answers: the addresses and the names of this computer. A
 * hostile web page may make its own name point to our address (DNS rebinding). The room does not
 * answer under that name.
 */
export function ownNames(host: string, interfaces: Interfaces = networkInterfaces()): Set<string> {
  const addresses = Object.values(interfaces).flatMap((each = []) =>
    each.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address)),
  );
  const name = hostname().toLowerCase();
  const own = ['localhost', '127.0.0.1', '[::1]', name, `${name}.local`];
  return new Set([nameOfHost(host), ...own, ...addresses]);
}
