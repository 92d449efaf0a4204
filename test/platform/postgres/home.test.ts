import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryDirectory } from '../../../src/platform/postgres/home.ts';

const GIB = 1024 ** 3;
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('temporary data is in memory only if memory has room', () => {
  vi.stubEnv('TMPDIR', undefined);
  vi.spyOn(process, 'availableMemory').mockReturnValue(4 * GIB - 1);
  expect(temporaryDirectory(undefined)).toBe('/tmp');
  vi.mocked(process.availableMemory).mockReturnValue(64 * GIB);
  // The result also depends on the free space in /dev/shm of this machine.
  expect(['/dev/shm', '/tmp']).toContain(temporaryDirectory(undefined));
});

test('data whose commits wait for the disk is on the disk', () => {
  vi.stubEnv('TMPDIR', undefined);
  expect(temporaryDirectory(undefined, true)).toBe('/tmp');
});

test('TMPDIR names the directory for temporary data', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'rowlock-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  vi.stubEnv('TMPDIR', folder);
  expect(temporaryDirectory(undefined)).toBe(folder);
});
