import { BlockList, isIP } from 'node:net';

/**
 * The blocks of addresses that the internet does not route normally: the blocks in IANA's
 * registries of special-purpose addresses (IPv4 and IPv6), multicast, and all IPv6 outside of
 * `2000::/3`. The list comes from the registries and not from ipaddr.js, which the tested code
 * uses.
 */
export const SPECIAL_BLOCKS: [name: string, address: string, bits: number][] = [
  ['this network', '0.0.0.0', 8],
  ['private', '10.0.0.0', 8],
  ['carrier NAT', '100.64.0.0', 10],
  ['loopback', '127.0.0.0', 8],
  ['link-local, with the metadata of clouds', '169.254.0.0', 16],
  ['private', '172.16.0.0', 12],
  ['protocol assignments', '192.0.0.0', 24],
  ['documentation', '192.0.2.0', 24],
  ['AS112', '192.31.196.0', 24],
  ['AMT', '192.52.193.0', 24],
  ['6to4 relays', '192.88.99.0', 24],
  ['private', '192.168.0.0', 16],
  ['AS112', '192.175.48.0', 24],
  ['benchmarks', '198.18.0.0', 15],
  ['documentation', '198.51.100.0', 24],
  ['documentation', '203.0.113.0', 24],
  ['multicast', '224.0.0.0', 4],
  ['reserved', '240.0.0.0', 4],
  ['broadcast', '255.255.255.255', 32],
  ['unspecified', '::', 128],
  ['loopback', '::1', 128],
  ['IPv4-compatible', '::', 96],
  ['IPv4-mapped', '::ffff:0:0', 96],
  ['IPv4-translated', '::ffff:0:0:0', 96],
  ['NAT64', '64:ff9b::', 96],
  ['NAT64 of a network', '64:ff9b:1::', 48],
  ['discard', '100::', 64],
  ['dummy', '100:0:0:1::', 64],
  ['outside of 2000::/3', '::', 3],
  ['outside of 2000::/3', '4000::', 2],
  ['outside of 2000::/3', '8000::', 1],
  ['Teredo', '2001::', 32],
  ['protocol assignments', '2001::', 23],
  ['benchmarks', '2001:2::', 48],
  ['ORCHID', '2001:20::', 28],
  ['documentation', '2001:db8::', 32],
  ['6to4', '2002::', 16],
  ['AS112', '2620:4f:8000::', 48],
  ['documentation', '3fff::', 20],
  ['segment routing', '5f00::', 16],
  ['unique local', 'fc00::', 7],
  ['link-local', 'fe80::', 10],
  ['site-local', 'fec0::', 10],
  ['multicast', 'ff00::', 8],
];

/** The lists of the two families. One `BlockList` would mix IPv4 with IPv4-mapped IPv6. */
const lists = { 4: new BlockList(), 6: new BlockList() };
for (const [, address, bits] of SPECIAL_BLOCKS) {
  if (isIP(address) === 4) lists[4].addSubnet(address, bits, 'ipv4');
  else lists[6].addSubnet(address, bits, 'ipv6');
}

export const isSpecial = (address: string): boolean =>
  isIP(address) === 4 ? lists[4].check(address, 'ipv4') : lists[6].check(address, 'ipv6');
