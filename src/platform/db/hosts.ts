/**
 * The address of a database may name several hosts, such as `postgres://h1:5432,h2:5432/db`. One of
 * the hosts is the primary. WHATWG's `URL` refuses such an address, so this file splits it.
 */

/** Matches three parts: the scheme with the account, the hosts, and the rest. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/i;
/**
 * postgres.js must not see this parameter. Otherwise postgres.js would search for the primary too,
 * and connect again.
 */
const ATTRIBUTE = 'target_session_attrs';
/** The two values mean the same here, because we need a server that accepts writes. */
const ATTRIBUTES = ['primary', 'read-write'];

/**
 * Returns an address for each host, in the given order. Returns an address of one host unchanged.
 */
export function hostsOf(url: string): string[] {
  const [, before, hosts, after] = PARTS.exec(url) ?? [];
  if (hosts === undefined) return [url];
  return hosts.split(',').map((host) => withoutAttribute(`${before}${host}${after}`));
}

function withoutAttribute(url: string): string {
  if (!url.includes(ATTRIBUTE)) return url;
  const changed = new URL(url);
  changed.searchParams.delete(ATTRIBUTE);
  return changed.href;
}

/** Returns the same address with another database or another account. */
export function changed(url: string, change: (url: URL) => void): string {
  const each = hostsOf(url).map((host) => new URL(host));
  for (const one of each) change(one);
  const hosts = each.map(({ host }) => host).join(',');
  return (each[0]?.href ?? url).replace(PARTS, (_, before, __, after) => before + hosts + after);
}

/** Returns the name of the database in the address. */
export const databaseIn = (url: string): string =>
  new URL(hostsOf(url)[0] ?? url).pathname.slice(1);

/** Returns the hosts with their ports, for people. */
export const hostNames = (url: string): string[] =>
  hostsOf(url).map((each) => {
    const { hostname, port } = new URL(each);
    return `${hostname}:${port || 5432}`;
  });

/**
 * Returns whether the driver can read the address of each host. The driver decodes all parts except
 * the path.
 */
export function isDatabaseUrl(url: string): boolean {
  if (!PARTS.test(url)) return false;
  try {
    const attribute = new URL(url.replace(PARTS, '$1host$3')).searchParams.get(ATTRIBUTE);
    return hostsOf(url).every(isReadable) && ATTRIBUTES.includes(attribute ?? 'primary');
  } catch {
    return false;
  }
}

function isReadable(address: string): boolean {
  const url = new URL(address);
  const { username, password, host, pathname, search, hash } = url;
  decodeURIComponent(username + password);
  // If a password contains a raw "/", "?" or "#", a part of the password would become the host.
  const isPasswordCut = username === '' && `${pathname}${search}${hash}`.includes('@');
  // We refuse the encoded folder of a local socket, as in postgres://%2Ftmp/jobs, because the
  // driver connects only by TCP.
  return host !== '' && !/[,%]/.test(host) && !isPasswordCut && takeTls(url) !== undefined;
}

/** The words of libpq for `sslmode`. `allow` means `prefer` here. */
const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type Mode = (typeof MODES)[number];

/** The encryption of a connection, and the check of the server's certificate. */
export interface Tls {
  mode: Mode;
  /** A file with the trusted certificates. Undefined means the certificates that Node.js trusts. */
  root: string | undefined;
}

/**
 * The TLS parameters of an address. We remove them from the address, because postgres.js sends
 * unknown parameters to the server.
 */
const PARAMETERS = ['sslmode', 'ssl', 'sslrootcert', 'sslnegotiation'];

/**
 * Removes the settings of TLS from the address, and returns them. Returns undefined if the settings
 * are wrong.
 */
export function takeTls(url: URL): Tls | undefined {
  const { searchParams } = url;
  const root = searchParams.get('sslrootcert') ?? undefined;
  const word = searchParams.get('sslmode') ?? searchParams.get('ssl');
  for (const name of PARAMETERS) searchParams.delete(name);
  const mode = modeOf(word, root);
  const isSystem = root === 'system';
  // Anybody can get a certificate of a public authority, so the name in the certificate must be
  // checked. libpq has the same rule.
  if (isSystem && mode !== 'verify-full') return undefined;
  return mode && { mode, root: isSystem ? undefined : root };
}

function modeOf(word: string | null, root: string | undefined): Mode | undefined {
  // The operator has named an authority, so the server's certificate must be checked.
  if (word === null) return root === undefined ? 'disable' : 'verify-full';
  // The words of postgres.js for its own parameter `ssl`.
  if (word === 'true') return 'verify-full';
  if (word === 'false') return 'disable';
  const mode = MODES.find((each) => each === word);
  return mode === 'require' && root !== undefined ? 'verify-ca' : mode;
}
