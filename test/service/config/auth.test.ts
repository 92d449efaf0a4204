import { describe, expect, test } from 'vitest';
import { refuseOpenDoor } from '../../../src/service/config/auth.ts';

describe('without tokens', () => {
  test.each(['0.0.0.0', '::', '192.0.2.1', 'rowlock.example'])(
    'HOST %s is refused, because other machines could reach the service',
    (host) => {
      expect(() => refuseOpenDoor(host, { kind: 'loopback' })).toThrow(/^HOST lets other machines/);
      expect(() => refuseOpenDoor(host, { kind: 'off' })).not.toThrow();
    },
  );

  test.each(['localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]'])('HOST %s is allowed', (host) =>
    expect(() => refuseOpenDoor(host, { kind: 'loopback' })).not.toThrow(),
  );
});
