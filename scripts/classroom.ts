import { renderUnicodeCompact } from 'uqr';
import { z } from 'zod';
import { isAllNetworks, lanAddresses, nameOfHost } from '../src/lab/classroom/network.ts';
import { openRoom, type Room } from '../src/lab/classroom/room.ts';
import { joinAddress } from '../src/lab/classroom/teacher-http.ts';
import { closeStores } from '../src/lab/stores/index.ts';
import { classroomPages } from '../src/pages/http.ts';
import { oneConnection } from '../src/platform/db/one-connection.ts';
import { type EmbeddedPostgres, startEmbedded } from '../src/platform/postgres/embedded.ts';
import { runCommand, whole } from '../src/platform/process/command.ts';
import { UsageError } from '../src/platform/process/errors.ts';
import { openLog } from '../src/platform/process/log.ts';
import { unlessStopped, whenStopped } from '../src/platform/process/main.ts';
import { print } from '../src/platform/process/print.ts';
import { paint } from './paint.ts';

const command = {
  name: 'classroom',
  purpose:
    'Opens a room for a class. Each student gets the lessons, the lab and a board in a browser.',
  options: {
    host: {
      value: 'ADDRESS',
      type: z.string(),
      words:
        'listen on this address. 127.0.0.1 lets in only this computer, 0.0.0.0 lets in all its networks',
      usual: 'the address of this computer in its local network',
    },
    port: { ...whole(0, 65_535), default: 4000, words: 'listen on this port; 0 is any free port' },
  },
  notes: `The command prints the address and the code for the students, and the address of the
teacher's page. Keep the teacher's address to yourself: it has a secret.

The room has a PostgreSQL of its own. It never uses DATABASE_URL. Ctrl-C ends the room,
and nothing of the room is kept. Exit code: 130 after Ctrl-C, 2 when the room could not
open.`,
  failureCode: 2,
};

/**
 * The maximum number of connections. 60 boards need two connections each, and the stages of the lab
 * need some more. PostgreSQL's default is only 100.
 */
const CONNECTIONS = 300;

runCommand(command, async ({ host: address, port }, stop) => {
  const place = placeOf(address);
  print('Opening the room …\n');
  const database = await startEmbedded(undefined, stop);
  try {
    await unlessStopped(stop, allowConnections(database));
    const urlOf = (port: string) => `http://${place.shown}:${port}`;
    const { host } = place;
    const log = openLog('warn');
    const opening = openRoom({
      databaseUrl: database.url,
      host,
      port,
      log,
      urlOf,
      makePages: classroomPages,
    });
    const room = await opening;
    try {
      greet(room, place);
      const failure = await Promise.race([whenStopped(stop), database.failed]);
      if (failure !== undefined) print(`${failure}\n`, process.stderr);
      else print('\nThe room ends.\n');
      if (failure !== undefined) return command.failureCode;
    } finally {
      await room.stop();
      await closeStores();
    }
  } finally {
    await database.stop();
  }
  throw stop.reason;
});

interface Place {
  host: string;
  /** The address that students type into a browser. */
  shown: string;
  /** A text that tells where the address comes from. */
  from: string;
}

function placeOf(host: string | undefined): Place {
  const [first, ...others] = lanAddresses();
  if (host !== undefined && isAllNetworks(host))
    return { host, shown: first?.address ?? 'localhost', from: 'all networks of this computer' };
  if (host !== undefined) return { host, shown: nameOfHost(host), from: 'chosen with --host' };
  if (!first)
    throw new UsageError(
      'This computer is in no local network, so no phone can reach it. Connect it first. To try the room alone: npm run classroom -- --host 127.0.0.1',
    );
  const more = others.map(({ address, through }) => `${address} (${through})`).join(', ');
  const from = `the address of ${first.through}`;
  return {
    host: first.address,
    shown: first.address,
    from: more ? `${from}. Others, for --host: ${more}` : from,
  };
}

async function allowConnections(database: EmbeddedPostgres) {
  const sql = oneConnection(database.url, {});
  await sql.unsafe(`alter system set max_connections = ${CONNECTIONS}`);
  await sql.end({ timeout: 5 });
  await database.restart();
}

function greet({ url, code, secret }: Room, { from }: Place) {
  const bold = (text: string) => paint('bold', text);
  print(`
${drawn(joinAddress(url, code))}
  Students:  ${bold(url)}   (${from})
  Code:      ${bold(code)}

  Teacher:   ${url}/teacher#${secret}
             This address has a secret. Keep it to yourself.

The connection is plain http. Ctrl-C ends the room, and nothing of it is kept.
`);
}

/**
 * Draws a QR code. Light squares are full blocks. On a light terminal the colours are reversed, but
 * phones can read reversed colours too.
 */
const drawn = (text: string): string =>
  renderUnicodeCompact(text, { border: 2 })
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
