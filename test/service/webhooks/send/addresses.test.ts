import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { isPublic } from '../../../../src/service/webhooks/send/addresses.ts';
import { isSpecial, SPECIAL_BLOCKS } from './special-blocks.ts';

const bytesOf = (value: bigint, length: number) =>
  Array.from({ length }, (_, index) => Number((value >> BigInt(8 * (length - 1 - index))) & 255n));

const numberOf = (address: string) =>
  ipaddr
    .parse(address)
    .toByteArray()
    .reduce((number, byte) => number * 256n + BigInt(byte), 0n);

const addressOf = (value: bigint, length: number): string =>
  ipaddr.fromByteArray(bytesOf(value, length)).toString();

/** Returns the first and the last address of a block, and the addresses beside the block. */
function edgesOf(address: string, bits: number) {
  const length = address.includes(':') ? 16 : 4;
  const first = numberOf(address);
  const last = first + 2n ** BigInt(8 * length - bits) - 1n;
  const all = 2n ** BigInt(8 * length);
  const outside = [first - 1n, last + 1n].filter((each) => each >= 0n && each < all);
  return {
    inside: [addressOf(first, length), addressOf(last, length)],
    outside: outside.map((each) => addressOf(each, length)),
  };
}

describe('an address is public', () => {
  test.each(SPECIAL_BLOCKS)('unless it is special: %s, %s/%i', (_, address, bits) => {
    const { inside, outside } = edgesOf(address, bits);
    expect(inside.filter(isPublic)).toEqual([]);
    expect(outside.map(isPublic)).toEqual(outside.map((each) => !isSpecial(each)));
  });

  test('if it is in no special block', () => {
    const address = (length: number) =>
      fc.bigInt(0n, 2n ** BigInt(8 * length) - 1n).map((value) => addressOf(value, length));
    const global = fc.bigInt(2n ** 125n, 2n ** 126n - 1n).map((value) => addressOf(value, 16));
    fc.assert(
      fc.property(fc.oneof(address(4), address(16), global), (each) => {
        expect(isPublic(each)).toBe(!isSpecial(each));
      }),
      { numRuns: 20_000 },
    );
  });

  test('if a well-known server has the address', () => {
    const known = ['1.1.1.1', '8.8.8.8', '172.32.0.1', '2606:4700:4700::1111', '2a00:1450:4001::1'];
    expect(known.filter((each) => !isPublic(each))).toEqual([]);
  });
});
