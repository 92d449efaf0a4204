import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The time limit of one question to a name server, and how often the question is sent. The names
 * belong to strangers, whose name servers may hang.
 */
const QUESTION = { timeout: 2_000, tries: 2 };

/** The only IPv6 addresses that the internet routes. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Returns whether the internet routes the address. ipaddr.js calls an address `unicast` if it is in
 * none of the special ranges. For IPv6, the list of ranges is too short. For example, the list
 * lacks `::7f00:1`, a form of 127.0.0.1. So IPv6 needs the second check.
 */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_IPV6);
}

export const isLoopback = (address: string): boolean =>
  ipaddr.parse(address).range() === 'loopback';

/**
 * Finds the addresses of a URL's host. The list is empty if the host has no address.
 *
 * We do not use `dns.lookup`, because it shares four threads with Node's access to files. Four
 * names whose servers hang would stop all other deliveries.
 */
export async function addressesOf(
  host: string,
  stop: AbortSignal,
  nameServers?: string[],
): Promise<LookupAddress[]> {
  const literal = host.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) return [withFamily(literal)];
  // Not every name server knows the name `localhost`.
  if (host === 'localhost') return ['127.0.0.1', '::1'].map(withFamily);
  const resolver = new dns.Resolver(QUESTION);
  if (nameServers) resolver.setServers(nameServers);
  const cancel = () => resolver.cancel();
  stop.addEventListener('abort', cancel);
  try {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    stop.throwIfAborted();
    return answers
      .flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
      .map(withFamily);
  } finally {
    stop.removeEventListener('abort', cancel);
  }
}

const withFamily = (address: string): LookupAddress => ({ address, family: isIP(address) });
