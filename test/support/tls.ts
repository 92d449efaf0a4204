import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { TLSSocket } from 'node:tls';
import { atEnd, makeTmpDir } from './command.ts';
import { programFile } from './program.ts';

export interface Certificate {
  key: Buffer;
  cert: Buffer;
  /** The file of the certificate. A client that trusts this file accepts the certificate. */
  file: string;
}

/** Makes a certificate for a name such as `IP:127.0.0.1`. */
export function makeCertificate(name: string): Certificate {
  const folder = makeTmpDir();
  const [file, keyFile] = ['server.crt', 'server.key'].map((each) => path.join(folder, each));
  const words = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2';
  execFileSync(
    programFile('openssl'),
    [
      ...words.split(' '),
      ...['-subj', '/CN=Rowlock', '-addext', `subjectAltName=${name}`],
      ...['-keyout', keyFile, '-out', file],
    ] as string[],
    { stdio: 'ignore' },
  );
  return {
    key: readFileSync(keyFile as string),
    cert: readFileSync(file as string),
    file: file as string,
  };
}

/** Starts a proxy with TLS in front of a database. `open` has the open connections. */
export async function startTlsFront(databaseUrl: string, { key, cert }: Certificate) {
  const open = new Set<Socket>();
  const target = new URL(databaseUrl);
  const quiet = <S extends Socket>(socket: S) => socket.on('error', () => undefined);
  const server = createServer((plain) => {
    open.add(quiet(plain).on('close', () => open.delete(plain)));
    // The first message of a client asks for TLS.
    plain.once('data', () => {
      plain.write('S');
      const near = quiet(new TLSSocket(plain, { isServer: true, key, cert }));
      const far = quiet(connect(Number(target.port || 5432), target.hostname));
      near.pipe(far).pipe(near);
      far.on('close', () => near.destroy());
      near.on('close', () => far.destroy());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: url.href, open };
}
