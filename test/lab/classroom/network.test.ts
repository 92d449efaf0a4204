import type { NetworkInterfaceInfo } from 'node:os';
import { expect, test } from 'vitest';
import {
  isAllNetworks,
  lanAddresses,
  nameOfHost,
  ownNames,
} from '../../../src/lab/classroom/network.ts';

const ipv4 = (address: string, internal = false): NetworkInterfaceInfo => ({
  ...{ address, internal, family: 'IPv4' },
  ...{ netmask: '255.255.255.0', mac: '00:00:00:00:00:00', cidr: null },
});

const laptop = {
  lo: [ipv4('127.0.0.1', true)],
  docker0: [ipv4('172.17.0.1')],
  eth0: [ipv4('203.0.113.7')],
  wlan0: [ipv4('192.168.1.20')],
  usb0: [ipv4('169.254.3.4')],
};

test('addresses of local networks come first, and addresses of containers come last', () => {
  expect(lanAddresses(laptop).map(({ through, address }) => `${through} ${address}`)).toEqual([
    'wlan0 192.168.1.20',
    'eth0 203.0.113.7',
    'docker0 172.17.0.1',
  ]);
});

test('a computer without a network has no address for students', () => {
  expect(lanAddresses({ lo: laptop.lo })).toEqual([]);
});

test('the room answers under the names and addresses of its computer only', () => {
  const names = ownNames('192.168.1.20', laptop);
  expect(names).toContain('192.168.1.20');
  expect(names).toContain('localhost');
  expect(names).not.toContain('evil.example');
});

test('the names of a room contain its host as browsers write the host', () => {
  expect(ownNames('School.Lan', laptop)).toContain('school.lan');
  expect(ownNames('::ffff:127.0.0.1', laptop)).toContain('[::ffff:7f00:1]');
});

test.each(['', ' ', 'fe80::1%eth0', '[::1]', 'a:1'])('%j is refused as a host', (host) => {
  expect(() => nameOfHost(host)).toThrow('no address that a browser can open');
});

test.each(['0.0.0.0', '0', '::', '0:0::0', '::ffff:0.0.0.0'])('%s means all networks', (host) => {
  expect(isAllNetworks(host)).toBe(true);
});
