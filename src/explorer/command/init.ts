import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { UsageError } from '../../platform/process/errors.ts';

const NAME = 'transfer.explore.mjs';

/** Writes an example into the folder. Returns the lines for the person. */
export function writeExample(folder: string): string[] {
  if (!existsSync(folder)) throw new UsageError(`There is no folder ${folder}.`);
  const file = path.join(folder, NAME);
  const shown = path.relative('', file);
  if (existsSync(file)) throw new UsageError(`${shown} exists already.`);
  writeFileSync(file, EXAMPLE);
  return [
    `Wrote ${shown}: a transfer of money that loses updates.`,
    '',
    ...(hasClient(file) ? [] : [`  ${ADD_CLIENT}    installs the client of the example`]),
    `  npx rowlock-explorer explore ${shown}    finds the order that loses money`,
    '',
    'Then add `for update` to its SELECT, and run the command again.',
  ];
}

/** pnpm hides the packages that a project does not name itself. */
const ADD_CLIENT = 'npm install --save-dev postgres';

function hasClient(file: string): boolean {
  try {
    return createRequire(path.resolve(file)).resolve('postgres') !== '';
  } catch {
    return false;
  }
}

const EXAMPLE = `import postgres from 'postgres';

/** Sends 60 from account 1 to account 2. Replace it by your own code, with any driver. */
async function transfer(url) {
  const sql = postgres(url, { max: 1 });
  try {
    await sql.begin(async (tx) => {
      const [from] = await tx\`select balance from accounts where id = 1\`;
      if (from.balance < 60) return;
      await tx\`update accounts set balance = \${from.balance - 60} where id = 1\`;
      await tx\`update accounts set balance = balance + 60 where id = 2\`;
    });
  } finally {
    await sql.end();
  }
}

export default {
  name: 'money is kept',
  setUp: (db) => db.query(\`
    create table accounts (id int primary key, balance int not null);
    insert into accounts values (1, 100), (2, 0)\`),
  sessions: { ann: ({ url }) => transfer(url), bob: ({ url }) => transfer(url) },
  async holds(db) {
    const [{ total }] = await db.query('select sum(balance)::int as total from accounts');
    if (total !== 100) throw new Error(\`expected \${total} to be 100\`);
  },
};
`;
