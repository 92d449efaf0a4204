import type { LookupAddress } from 'node:dns';
import { addressesOf, isLoopback, isPublic } from './addresses.ts';

/** The time limit of the check of a URL. A person waits for the result. */
const JUDGE_MS = 10_000;

/** The rules for where URLs may lead. */
export interface Reach {
  /** If true, as in a demo, URLs may also lead to this machine, and may use plain http there. */
  loopback: boolean;
  /** The name servers to ask. The default is the name servers of the system. */
  nameServers?: string[];
}

/** A URL with all addresses of its host. The rules allow every one of these addresses. */
export interface Target {
  kind: 'target';
  url: URL;
  addresses: LookupAddress[];
}

export type Found = Target | { kind: 'refused'; reason: string };

const refused = (reason: string): Found => ({ kind: 'refused', reason });

/** Returns the reason why the URL may not be an endpoint, or undefined if it may be an endpoint. */
export async function judgeUrl(url: string, reach: Reach): Promise<string | undefined> {
  const found = await findTarget(url, reach, AbortSignal.timeout(JUDGE_MS)).catch(() => unknown);
  return found.kind === 'refused' ? found.reason : undefined;
}

/**
 * Finds the addresses of the URL's host. Connect only to these addresses. A second question to the
 * name server may give other addresses, which nobody has checked.
 *
 * Throws the reason of `stop` if `stop` is aborted.
 */
export async function findTarget(text: string, reach: Reach, stop: AbortSignal): Promise<Found> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return refused('The URL is malformed.');
  const plain = url.protocol === 'http:' && reach.loopback;
  if (url.protocol !== 'https:' && !plain) return refused('The URL must begin with https.');
  if (url.username || url.password)
    return refused('The URL must not contain a user or a password.');
  const addresses = await addressesOf(url.hostname, stop, reach.nameServers);
  const mayConnect = ({ address }: LookupAddress) =>
    (isPublic(address) && !plain) || (isLoopback(address) && reach.loopback);
  if (addresses.length === 0 || !addresses.every(mayConnect)) return plain ? needsHttps : unknown;
  return { kind: 'target', url, addresses };
}

/**
 * A name that does not exist and a name with private addresses get this same answer. Otherwise a
 * stranger could find out which names exist in the network of the service.
 */
const unknown = refused('The host of the URL must have public addresses, and no others.');

/** Names that do not exist get this answer too, for the same reason. */
const needsHttps = refused('The URL must begin with https, unless its host is this machine.');
