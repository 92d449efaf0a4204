#!/usr/bin/env node
// Makes the files of the image in an empty folder, without a container runtime.
import { execSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HELP = `Makes the files of the image in an empty folder, as the last stage of deploy/Dockerfile does.

Usage: deploy/layout.mjs [--without-lab] FOLDER

  --without-lab      leave out the workshop; LAB=on is then refused
`;

const project = fileURLToPath(new URL('..', import.meta.url));

/** Reads the stages of the Dockerfile. Instructions about running the image make no files. */
function stages() {
  const text = readFileSync(path.join(project, 'deploy/Dockerfile'), 'utf8');
  const found = [];
  for (const line of text.split('\n').filter((each) => /^[A-Z]/.test(each))) {
    const [instruction, ...words] = line.split(/\s+/);
    if (instruction === 'FROM') found.push({ name: words[2], steps: [] });
    else found.at(-1).steps.push({ instruction, words, line });
  }
  return found;
}

/** Runs the steps of a stage. The folder takes the place of the WORKDIR of the stage. */
function play({ steps }, folder, folders) {
  for (const { instruction, words, line } of steps) {
    if (instruction === 'RUN')
      execSync(words.join(' '), { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
    if (instruction === 'COPY') copy(words, folder, folders);
    if (instruction === 'ADD') throw new Error(`layout.mjs does not know: ${line}`);
  }
}

function copy(words, folder, folders) {
  const stage = words[0].match(/^--from=(.+)/)?.[1];
  const sources = words.slice(stage ? 1 : 0, -1);
  const target = path.join(folder, words.at(-1));
  for (const source of sources) {
    const from = stage
      ? source.replace(/^\/rowlock/, folders.get(stage))
      : path.join(project, source);
    const isFolder = words.at(-1).endsWith('/');
    cpSync(from, isFolder ? path.join(target, path.basename(source)) : target, {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}

function readArguments() {
  const boolean = { type: 'boolean' };
  try {
    return parseArgs({
      options: { 'without-lab': boolean, help: boolean },
      allowPositionals: true,
    });
  } catch (error) {
    return refuse(`${error.message.split('. ')[0]}.\n`);
  }
}

function refuse(words) {
  process.stderr.write(words);
  process.exit(2);
}

const { values, positionals } = readArguments();
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const [target, ...more] = positionals;
if (target === undefined || more.length > 0) refuse(HELP);
const env = { ...process.env, BUILD_OPTIONS: values['without-lab'] ? '--without-lab' : '' };
mkdirSync(target, { recursive: true });
if (readdirSync(target).length > 0) {
  process.stderr.write(`${target} is not empty.\n`);
  process.exit(1);
}
const work = mkdtempSync(path.join(tmpdir(), 'rowlock-image-'));
try {
  const all = stages();
  const folders = new Map();
  for (const stage of all) {
    const isLast = stage === all.at(-1);
    const folder = isLast ? path.resolve(target) : path.join(work, stage.name);
    mkdirSync(folder, { recursive: true });
    folders.set(stage.name, folder);
    play(stage, folder, folders);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
