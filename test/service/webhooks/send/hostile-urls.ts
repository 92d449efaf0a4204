import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import type { Zone } from './name-server.ts';
import { SPECIAL_BLOCKS } from './special-blocks.ts';

/** URLs that the service must refuse. */
export const HOSTILE_URLS: [why: string, url: string][] = [
  ['loopback', 'https://127.0.0.1/'],
  ['all of loopback', 'https://127.255.255.254/'],
  ['unspecified', 'https://0.0.0.0/'],
  ['this network', 'https://0.1.2.3/'],
  ['private, 10', 'https://10.0.0.1/'],
  ['private, 172.16', 'https://172.16.0.1/'],
  ['private, 172.31', 'https://172.31.255.255/'],
  ['private, 192.168', 'https://192.168.1.1/'],
  ['carrier NAT', 'https://100.64.0.1/'],
  ['metadata', 'https://169.254.169.254/latest/meta-data/'],
  ['metadata of containers', 'https://169.254.170.2/v2/credentials'],
  ['metadata of Alibaba', 'https://100.100.100.200/'],
  ['protocol assignments', 'https://192.0.0.192/'],
  ['documentation', 'https://192.0.2.1/'],
  ['benchmarks', 'https://198.18.0.1/'],
  ['6to4 relay', 'https://192.88.99.1/'],
  ['multicast', 'https://224.0.0.251/'],
  ['reserved', 'https://240.0.0.1/'],
  ['broadcast', 'https://255.255.255.255/'],
  ['one number', 'https://2130706433/'],
  ['one octal number', 'https://017700000001/'],
  ['one hexadecimal number', 'https://0x7f000001/'],
  ['octal parts', 'https://0177.0.0.01/'],
  ['hexadecimal parts', 'https://0x7f.0x0.0x0.0x1/'],
  ['mixed parts', 'https://0xA9.254.0250.254/'],
  ['two parts', 'https://127.1/'],
  ['three parts', 'https://10.0.1/'],
  ['zero', 'https://0/'],
  ['a dot at the end', 'https://127.0.0.1./'],
  ['full-width digits', 'https://１２７.０.０.１/'],
  ['full-width dots', 'https://127。0。0。1/'],
  ['circled digits', 'https://①②⑦.⓪.⓪.①/'],
  ['percent signs', 'https://%31%32%37.0.0.1/'],
  ['a soft hyphen', 'https://127.0.0.\u00ad1/'],
  ['tabs and line ends', 'ht\ntps://127.\t0.0.1/'],
  ['backslashes', 'https:\\\\127.0.0.1\\'],
  ['no slashes', 'https:127.0.0.1'],
  ['a port', 'https://127.0.0.1:443/'],
  ['loopback, IPv6', 'https://[::1]/'],
  ['loopback in full', 'https://[0000:0000:0000:0000:0000:0000:0000:0001]/'],
  ['unspecified, IPv6', 'https://[::]/'],
  ['IPv4-mapped', 'https://[::ffff:127.0.0.1]/'],
  ['IPv4-mapped metadata', 'https://[::ffff:a9fe:a9fe]/'],
  ['IPv4-mapped and public', 'https://[::ffff:8.8.8.8]/'],
  ['IPv4-compatible', 'https://[::127.0.0.1]/'],
  ['IPv4-translated', 'https://[::ffff:0:127.0.0.1]/'],
  ['NAT64', 'https://[64:ff9b::127.0.0.1]/'],
  ['NAT64 of a network', 'https://[64:ff9b:1::10.0.0.1]/'],
  ['6to4', 'https://[2002:7f00:1::]/'],
  ['Teredo', 'https://[2001:0:a9fe:a9fe::1]/'],
  ['ORCHID', 'https://[2001:20::1]/'],
  ['link-local, IPv6', 'https://[fe80::1]/'],
  ['a zone', 'https://[fe80::1%25lo]/'],
  ['unique local', 'https://[fd00:ec2::254]/'],
  ['site-local', 'https://[fec0::1]/'],
  ['multicast, IPv6', 'https://[ff02::1]/'],
  ['documentation, IPv6', 'https://[2001:db8::1]/'],
  ['more documentation', 'https://[3fff::1]/'],
  ['discard', 'https://[100::1]/'],
  ['segment routing', 'https://[5f00::1]/'],
  ['no allocated IPv6', 'https://[4000::1]/'],
  ['plain http', 'http://8.8.8.8/'],
  ['plain http to a name', 'http://public.example/'],
  ['another scheme', 'ftp://8.8.8.8/'],
  ['a file', 'file:///etc/passwd'],
  ['gopher', 'gopher://127.0.0.1:25/_HELO'],
  ['data', 'data:text/plain,x'],
  ['no URL', 'localhost'],
  ['no host', 'https://'],
  ['a user', 'https://user@8.8.8.8/'],
  ['a password', 'https://:password@8.8.8.8/'],
  ['a user that looks like a host', 'https://public.example@127.0.0.1/'],
  ['localhost', 'https://localhost/'],
  ['localhost with a dot', 'https://localhost./'],
  ['localhost in capitals', 'https://LOCALHOST/'],
  ['a name below localhost', 'https://a.localhost/'],
  ['a name with a loopback address', 'https://loopback.example/'],
  ['a name with a private address', 'https://private.example/'],
  ['a name with the metadata', 'https://metadata.example/'],
  ['a name with a dot at the end', 'https://private.example./'],
  ['a name with an international alias', 'https://ＰＲＩＶＡＴＥ.example/'],
  ['a name with one public and one private address', 'https://both.example/'],
  ['a name with public IPv4 and private IPv6', 'https://families.example/'],
  ['a name with IPv6 only, unique local', 'https://unique-local.example/'],
  ['a name with IPv6 only, IPv4-mapped', 'https://mapped.example/'],
  ['a name with IPv6 only, NAT64', 'https://nat64.example/'],
  ['a name without addresses', 'https://empty.example/'],
  ['no such name', 'https://missing.example/'],
  ['a name inside of the network', 'https://metadata.google.internal/'],
];

const NAMES: Record<string, string[]> = {
  localhost: ['127.0.0.1', '::1'],
  'a.localhost': ['127.0.0.1', '::1'],
  'metadata.google.internal': ['169.254.169.254'],
  'public.example': ['8.8.8.8', '2001:4860:4860::8888'],
  'loopback.example': ['127.0.0.1'],
  'private.example': ['10.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'both.example': ['8.8.8.8', '10.0.0.1'],
  'families.example': ['8.8.8.8', 'fd00::1'],
  'unique-local.example': ['fd00::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'empty.example': [],
  'ipv6-only.example': ['2606:4700::1111'],
};

/**
 * The names of a hostile stranger. A name such as `a-08080808.aaaa-….example` has the addresses
 * that its labels encode. A name that begins with `then.` has public addresses at the first
 * question, and private addresses afterwards.
 */
export const hostileZone: Zone = ({ name, before }) => {
  if (name.startsWith('then.')) return before === 0 ? ['8.8.4.4'] : ['127.0.0.1', '::1'];
  const labels = name.match(/\ba(aaa)?-[\da-f]+/g);
  return labels?.map((label) => fromHex(label.replace(/a+-/, ''))) ?? NAMES[name];
};

const fromHex = (hex: string) => ipaddr.fromByteArray([...Buffer.from(hex, 'hex')]).toString();
const toHex = (address: string) => Buffer.from(ipaddr.parse(address).toByteArray()).toString('hex');

const bytes = (length: number) =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((each) => ipaddr.fromByteArray([...each]).toString());
const inSpecialBlock = fc.constantFrom(...SPECIAL_BLOCKS).map(([, address]) => address);
const address = fc.oneof(
  bytes(4),
  bytes(16),
  inSpecialBlock,
  bytes(4).map((each) => `::ffff:${each}`),
  bytes(4).map((each) => `64:ff9b::${each}`),
  bytes(16).map((each) => each.replace(/^[\da-f]*:/, '2a00:')),
);

/** Ways to write an IPv4 address. The URL parser also accepts unusual ways. */
const ways: ((parts: number[]) => string)[] = [
  (parts) => parts.join('.'),
  (parts) => parts.map((each) => `0${each.toString(8)}`).join('.'),
  (parts) => parts.map((each) => `0x${each.toString(16)}`).join('.'),
  (parts) => String(parts.reduce((sum, each) => sum * 256 + each, 0)),
  ([a = 0, b = 0, c = 0, d = 0]) => `${a}.${(b * 256 + c) * 256 + d}`,
  ([a = 0, b = 0, c = 0, d = 0]) => `${a}.${b}.${c * 256 + d}.`,
  (parts) => parts.join('。').replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + +digit)),
  (parts) => parts.join('.').replace(/^\d/, (digit) => `%3${digit}`),
];
const written = fc
  .tuple(address, fc.constantFrom(...ways))
  .map(([each, way]) =>
    each.includes(':') ? `[${each}]` : way(ipaddr.IPv4.parse(each).toByteArray()),
  );
const label = (each: string) => `${each.includes(':') ? 'aaaa' : 'a'}-${toHex(each)}`;
const name = fc
  .array(address, { minLength: 1, maxLength: 3 })
  .map((all) => `${all.map(label).join('.')}.example`);
const host = fc.oneof(
  written,
  name,
  fc.constantFrom(...Object.keys(NAMES)),
  fc.uuid().map((each) => `then.${each}.example`),
);

/** URLs of all kinds. Some of these URLs lead to public addresses. */
export const someUrl: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('https:', 'https:', 'https:', 'https:', 'HTTPS:', ' https:', 'http:', 'ws:'),
    fc.constantFrom('//', '//', '//', '//', '', '\\\\', '//user@', '///'),
    host,
    fc.constantFrom('', '', '', '/', '/a', '.', ':443', ':0', '%00', '@10.0.0.1/', '#@8.8.8.8'),
  )
  .map((parts) => parts.join(''));
