import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { start } from '../../../support/command.ts';
import { isSpecial } from '../../../webhooks/send/special-blocks.ts';

/** Only root may make a network. On a machine of a CI, `sudo` may need no password. */
const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
/** A network in which every address of IPv4 and IPv6 leads to this machine. */
const inOwnNetwork = (command: string) => [
  ...asRoot,
  'unshare',
  '--net',
  'sh',
  '-c',
  `ip link set lo up && ip route add local default dev lo && ip -6 route add local ::/0 dev lo && ${command}`,
];

function canMakeNetwork(): boolean {
  const [program = '', ...args] = inOwnNetwork('true');
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const isPossible = canMakeNetwork();
if (!isPossible)
  process.stderr.write('No network can be made here: its test of safe sending is skipped.\n');

test.skipIf(!isPossible)(
  'in a network where every address answers, only public addresses are reached',
  async () => {
    const program = 'test/webhooks/send/own-network.ts';
    const [first = '', ...args] = inOwnNetwork(
      `exec "${process.execPath}" --import tsx ${program}`,
    );
    const command = start(first, args, {});
    const { code } = await command.ended;
    expect([code, command.stderr()]).toEqual([0, '']);
    const { unchecked, hostile, named, moving, random } = JSON.parse(command.stdout());

    // Without a check, most of the addresses are reached. So the network is as the test needs it.
    expect(unchecked.length).toBeGreaterThan(30);
    expect(hostile).toEqual([]);
    expect(named).toEqual(['2606:4700::1111', '8.8.8.8']);
    expect(moving).toEqual(['8.8.4.4']);
    expect(random.length).toBeGreaterThan(200);
    expect(random.filter(isSpecial)).toEqual([]);
  },
);
