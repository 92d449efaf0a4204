import type { IncomingMessage } from 'node:http';

/**
 * A target in absolute form, such as http://host/path. User info and an empty host are not allowed.
 */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#@]+)(?:[/?#]|$)/;

/**
 * A host with the label `xn--` and nothing after it. Node 20 cannot make a URL of such a host, but
 * Node 24 can.
 */
const EMPTY_PUNYCODE = /(^|\.)xn--([.:]|$)/i;

/**
 * Returns whether the target and the Host header of a request name the same valid host (RFC 9112,
 * section 3.2). Hono's adapter checks only hosts with unusual characters. The adapter accepts the
 * host 1.2.3.4.5 and user info. Later code then throws when it makes a URL or a `Request` from such
 * a host. This check costs less than 1 µs a request.
 */
export function namesOnePlace({ url = '', rawHeaders }: IncomingMessage): boolean {
  const hosts = hostsIn(rawHeaders);
  if (!url.startsWith('/')) {
    const target = ABSOLUTE_FORM.exec(url)?.[1] ?? '';
    if (!isHost(target) || hosts.some((host) => host !== target)) return false;
  }
  // HTTP/1.0 needs no Host header if the target is absolute.
  return hosts.length < 2 && hosts.every(isHost);
}

const isHost = (host: string): boolean =>
  URL.canParse(`http://${host}`) && !EMPTY_PUNYCODE.test(host);

/**
 * Returns all Host headers. `headers` has only the first Host header, but `rawHeaders` has all of
 * them.
 */
function hostsIn(rawHeaders: string[]): string[] {
  const hosts = [];
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host')
      hosts.push(rawHeaders[at + 1] ?? '');
  return hosts;
}
