/**
 * The headers that say where a request comes from. A browser sends them. Most other programs send
 * only Host.
 */
export interface Provenance {
  /** The Host header. */
  host: string;
  origin: string | undefined;
  /**
   * The Referer header: the address of the page, or a part of the address. A page may tell the
   * browser not to send the header.
   */
  referer: string | undefined;
  /** Sec-Fetch-Site: cross-site, same-site, same-origin, or none if a person typed the address. */
  site: string | undefined;
  /** Sec-Fetch-Mode: no-cors if a page only embeds the answer, such as an image. */
  mode: string | undefined;
}

/**
 * Returns whether a page of another site made the request. Pages of the `allowed` origins do not
 * count as pages of another site. For a request with the mode `no-cors`, the result is always true.
 * Newer browsers send Sec-Fetch-* headers (on https and on loopback), and older browsers send
 * Origin. Requests for images and links over plain http have neither header, but usually have a
 * Referer.
 */
export function isCrossSite(from: Provenance, allowed: readonly string[]): boolean {
  const { host, site, mode } = from;
  if (mode === 'no-cors') return true;
  const origin = from.origin ?? (site === undefined ? originOf(from.referer) : undefined);
  if (origin !== undefined && allowed.includes(origin)) return false;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return origin !== undefined && !isOriginOf(origin, host);
}

/**
 * Returns the origin of an address. An invalid address has the origin 'null', which equals no real
 * origin.
 */
function originOf(referer: string | undefined): string | undefined {
  if (referer === undefined) return undefined;
  return URL.canParse(referer) ? new URL(referer).origin : 'null';
}

/**
 * Compares only the name and the port. The protocols may differ. If a proxy ends TLS in front of
 * us, requests reach us over http.
 */
function isOriginOf(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: theirs } = new URL(origin);
  const ours = `${protocol}//${host}`;
  return URL.canParse(ours) && new URL(ours).host === theirs;
}

/** Returns the name in a Host header without its port, or undefined if the header is invalid. */
export const nameIn = (host: string): string | undefined =>
  URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : undefined;
