/** What a browser says about where a request comes from. Programs say nothing of it. */
export interface Provenance {
  /** The Host header, or what stands for it. */
  host: string;
  origin: string | undefined;
  /** The address of the page, or a part of it, unless the page asks the browser to keep it. */
  referer: string | undefined;
  /** Sec-Fetch-Site: cross-site, same-site, same-origin, or none when a person typed the address. */
  site: string | undefined;
  /** Sec-Fetch-Mode: no-cors for what a page only embeds, such as an image. */
  mode: string | undefined;
}

/**
 * Whether a page of another site made the request, and not one of the `allowed` origins. Newer
 * browsers tell by Sec-Fetch-* (on https and on loopback), older ones by Origin. Neither comes with
 * an image or a link over plain http, but a Referer mostly does.
 */
export function isCrossSite(from: Provenance, allowed: readonly string[]): boolean {
  const { host, site, mode } = from;
  if (mode === 'no-cors') return true;
  const origin = from.origin ?? (site === undefined ? originOf(from.referer) : undefined);
  if (origin !== undefined && allowed.includes(origin)) return false;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return origin !== undefined && !isOriginOf(origin, host);
}

/** Of an address that is none, the origin of nobody. */
function originOf(referer: string | undefined): string | undefined {
  if (referer === undefined) return undefined;
  return URL.canParse(referer) ? new URL(referer).origin : 'null';
}

/** By name and port alone: where TLS ends in front of us, we are asked by http. */
function isOriginOf(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: theirs } = new URL(origin);
  const ours = `${protocol}//${host}`;
  return URL.canParse(ours) && new URL(ours).host === theirs;
}

/** The name in a Host header, without its port; undefined when it is none. */
export const nameIn = (host: string): string | undefined =>
  URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : undefined;
