// npm version runs this file: the section "Unreleased" of the changelog becomes the section of the new
// version. With --section, prints the section of this version, for the page of the release.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const folder = process.cwd();
const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
const file = path.join(folder, 'CHANGELOG.md');
const text = readFileSync(file, 'utf8');

/** The text below a heading of the second level, up to the next such heading. */
const below = (heading) =>
  text
    .split(new RegExp(`^${heading}.*\\n`, 'm'))[1]
    ?.split(/^## /m)[0]
    ?.trim();

const fail = (words) => {
  process.stderr.write(`${words}\n`);
  process.exit(1);
};

if (process.argv[2] === '--section') {
  const section = below(`## ${version.replaceAll('.', '\\.')} `);
  if (!section) fail(`CHANGELOG.md has no section about ${version}.`);
  process.stdout.write(`${section}\n`);
} else {
  if (!below('## Unreleased')) fail('CHANGELOG.md has nothing under "## Unreleased".');
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(file, text.replace('## Unreleased', `## Unreleased\n\n## ${version} (${today})`));
}
