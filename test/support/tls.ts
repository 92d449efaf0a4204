import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { TLSSocket } from 'node:tls';
import postgres from 'postgres';
import { vi } from 'vitest';
import { oneConnection } from '../../src/platform/db/one-connection.ts';
import { startEmbedded } from '../../src/platform/postgres/embedded.ts';
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

/**
 * Starts an embedded PostgreSQL that refuses connections without TLS. Its password is checked by
 * SCRAM, so it also offers the methods that bind the password to TLS.
 */
export async function startTlsPostgres({ key, cert }: Certificate): Promise<string> {
  const server = await startEmbedded();
  atEnd(server.stop);
  const data = path.join(server.home, 'data');
  // The server must own its key.
  const { uid, gid } = statSync(data);
  const write = (name: string, text: Buffer | string) => {
    const file = path.join(data, name);
    writeFileSync(file, text, { mode: 0o600 });
    chownSync(file, uid, gid);
  };
  write('server.key', key);
  write('server.crt', cert);
  write('pg_hba.conf', 'hostssl all all all scram-sha-256');
  const sql = postgres(server.url, { max: 1, onnotice: () => undefined });
  await sql`alter system set ssl = on`;
  await sql`select pg_reload_conf()`;
  await sql.end();
  // PostgreSQL reads its settings a moment later.
  await vi.waitFor(() => answers(`${server.url}?sslmode=require`), { timeout: 20_000 });
  return server.url;
}

async function answers(url: string) {
  const sql = oneConnection(url, {});
  await sql`select`.finally(() => sql.end());
}
