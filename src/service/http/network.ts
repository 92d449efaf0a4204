import { isIPv6 } from 'node:net';
import type { Context } from 'hono';
import { expandIPv6 } from 'hono/utils/ipaddr';
import type { Env } from './new-routes.ts';

/**
 * Returns the network of a request: the whole IPv4 address, or the first half of an IPv6 address. A
 * host may choose the second half freely.
 */
export function networkOf(c: Context<Env>): string {
  const plain = (c.env?.incoming?.socket.remoteAddress ?? '').replace(/^::ffff:/i, '');
  return isIPv6(plain) ? expandIPv6(plain).slice(0, '0000:0000:0000:0000'.length) : plain;
}
