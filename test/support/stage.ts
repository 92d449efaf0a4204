import { drizzleDatabases } from '../../src/explorer/databases.ts';
import { Stage } from '../../src/explorer/stage.ts';
import { atEnd } from './command.ts';
import { makeLabDatabase } from './database.ts';

/** Makes a stage on a new database. */
export async function makeStage(): Promise<Stage> {
  const stage = new Stage(await makeLabDatabase(), drizzleDatabases());
  atEnd(() => stage.close());
  return stage;
}

/**
 * Makes a stage whose sessions replace a part of each statement. The explorer still sees the
 * original statement.
 */
export async function stageWithout(part: RegExp, instead: string): Promise<Stage> {
  const changed = await makeStage();
  const sessions = changed.sessions.bind(changed);
  const known = new WeakSet<object>();
  changed.sessions = async (count) => {
    const all = await sessions(count);
    for (const each of all) {
      if (known.has(each)) continue;
      known.add(each);
      const { session } = each;
      each.session = {
        ...session,
        run: (statement) =>
          session.run({ ...statement, text: statement.text.replace(part, instead) }),
      };
    }
    return all;
  };
  return changed;
}
