import { expect, test } from 'vitest';
import { isSpecial } from '../../../../service/webhooks/send/special-blocks.ts';
import { start } from '../../../../support/command.ts';
import { inOwnNetwork } from '../../../../support/needs.ts';

test('in a network where every address answers, the service reaches only public addresses', {
  tags: ['own-network'],
}, async () => {
  const program = 'test/service/webhooks/send/own-network.ts';
  const [first, ...args] = inOwnNetwork(`exec "${process.execPath}" --import tsx ${program}`);
  const command = start(first, args, {});
  const { code } = await command.ended;
  expect([code, command.stderr()]).toEqual([0, '']);
  const { unchecked, hostile, named, moving, random } = JSON.parse(command.stdout());

  // Without a check of addresses, most addresses are reached. So the network works as the test
  // expects.
  expect(unchecked.length).toBeGreaterThan(30);
  expect(hostile).toEqual([]);
  expect(named).toEqual(['2606:4700::1111', '8.8.8.8']);
  expect(moving).toEqual(['8.8.4.4']);
  expect(random.length).toBeGreaterThan(200);
  expect(random.filter(isSpecial)).toEqual([]);
});
