import { describe, expect, test } from 'vitest';
import {
  changed,
  databaseIn,
  hostNames,
  hostsOf,
  isDatabaseUrl,
} from '../../../src/platform/db/hosts.ts';

const SEVERAL = 'postgres://me:p%40w@h1:5432,h2,[::1]:5433/jobs?sslmode=require';

test('an address of several hosts is split into an address for each host', () => {
  expect(hostsOf(SEVERAL)).toEqual([
    'postgres://me:p%40w@h1:5432/jobs?sslmode=require',
    'postgres://me:p%40w@h2/jobs?sslmode=require',
    'postgres://me:p%40w@[::1]:5433/jobs?sslmode=require',
  ]);
  expect(hostNames(SEVERAL)).toEqual(['h1:5432', 'h2:5432', '[::1]:5433']);
  expect(databaseIn(SEVERAL)).toBe('jobs');
});

test('the driver never sees target_session_attrs', () => {
  const url = 'postgres://h1,h2/jobs?target_session_attrs=primary&sslmode=require';
  expect(hostsOf(url)).toEqual([
    'postgres://h1/jobs?sslmode=require',
    'postgres://h2/jobs?sslmode=require',
  ]);
});

test('a change of the database and the account applies to all hosts', () => {
  const other = changed(SEVERAL, (url) => Object.assign(url, { pathname: 'x', password: 'a$1b' }));
  expect(other).toBe('postgres://me:a$1b@h1:5432,h2,[::1]:5433/x?sslmode=require');
});

describe('an address of a database', () => {
  test.each([
    'postgres://me:pw@db.example:6432/jobs',
    'postgresql://h1:5432,h2:5432,h3:5432/jobs',
    'postgres://h1,h2/jobs?target_session_attrs=read-write',
    'postgres://me@h1/jobs?application_name=a@b',
    'postgres://h1,h2/jobs?sslmode=verify-full&sslrootcert=/ca.crt',
    'postgres://h1/jobs?sslrootcert=system',
  ])('is %s', (url) => expect(isDatabaseUrl(url)).toBe(true));

  test.each([
    'mysql://h1/jobs',
    'h1:5432/jobs',
    'postgres:///jobs',
    'postgres://h1,,h2/jobs',
    'postgres://h1,h2:port/jobs',
    'postgres://me:%zz@h1,h2/jobs',
    'postgres://h1,h2/jobs?target_session_attrs=standby',
    'postgres://h1,h2/jobs?sslmode=always',
    // A public authority certifies every owner of a domain, and `require` checks no name.
    'postgres://h1/jobs?sslmode=require&sslrootcert=system',
    // These passwords have a raw "/", "?" or "#". Their first digits could be a port.
    'postgres://me:12/34@h1/jobs',
    'postgres://me:12?34@h1,h2/jobs',
    'postgres://me:12#34@h1/jobs',
    // The host is the folder of a local socket.
    'postgres://%2Ftmp:5432/jobs',
    'postgres:///jobs?host=/tmp',
  ])('is not %s', (url) => expect(isDatabaseUrl(url)).toBe(false));
});
