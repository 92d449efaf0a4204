import { describe, expect, test } from 'vitest';
import { refuseOpenDoor } from '../../../src/http/auth/settings.ts';

describe('without tokens', () => {
  test.each(['0.0.0.0', '::', '192.0.2.1', 'rowlock.example'])(
    'HOST %s is refused, since it lets others in',
    (host) => {
      expect(() => refuseOpenDoor(host, { kind: 'loopback' })).toThrow(/^HOST lets other machines/);
      expect(() => refuseOpenDoor(host, { kind: 'off' })).not.toThrow();
    },
  );

  test.each(['localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]'])('HOST %s is allowed', (host) =>
    expect(() => refuseOpenDoor(host, { kind: 'loopback' })).not.toThrow(),
  );
});
