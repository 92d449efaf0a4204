// `npm version` runs this file. This file is plain JavaScript, because the workflow of a release
// runs it before npm ci.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

const HELP = `Gives the changelog's section "Unreleased" the number of the new version. npm version runs this
command.

Usage: npm run version [-- OPTION]

  --section          print the section of this version, and change nothing
  --help             show this
`;

const folder = process.cwd();
const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
const file = path.join(folder, 'CHANGELOG.md');
const text = readFileSync(file, 'utf8');

/** Returns the text between a heading of the second level and the next such heading. */
const below = (heading) =>
  text
    .split(new RegExp(`^${heading}.*\\n`, 'm'))[1]
    ?.split(/^## /m)[0]
    ?.trim();

const fail = (words, code = 1) => {
  process.stderr.write(`${words}\n`);
  process.exit(code);
};

function readOptions() {
  const flag = { type: 'boolean' };
  try {
    return parseArgs({ options: { section: flag, help: flag } }).values;
  } catch (error) {
    return fail(`${error.message.split('. ')[0]}. See: npm run version -- --help`, 2);
  }
}

const options = readOptions();
if (options.help) {
  process.stdout.write(HELP);
} else if (options.section) {
  const section = below(`## ${version.replaceAll('.', '\\.')} `);
  if (!section) fail(`CHANGELOG.md has no section about ${version}.`);
  process.stdout.write(`${section}\n`);
} else {
  if (!below('## Unreleased')) fail('CHANGELOG.md has nothing under "## Unreleased".');
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(file, text.replace('## Unreleased', `## Unreleased\n\n## ${version} (${today})`));
  execFileSync('git', ['add', 'CHANGELOG.md'], { cwd: folder, stdio: 'inherit' });
}
