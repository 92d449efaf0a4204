import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { type Addressed, addressOf, allStrategies } from '../../src/lab/chapters/index.ts';
import { fileOf } from '../../src/lab/syllabus/source.ts';
import { verdictRules } from '../../src/lab/syllabus/verdicts.ts';
import { inProject } from '../../src/platform/process/project.ts';
import { type Mutant, mutantsOf } from './damage.ts';

/** A right strategy, and the files whose code is damaged. */
export interface Subject extends Addressed {
  /** The name under which the file of the strategy exports the strategy. */
  exported: string;
  /** The files of the strategy, by path from the project's folder. The strategy's file is first. */
  files: readonly string[];
}

/** A mutant of one file of a subject. */
export interface Damaged extends Mutant {
  subject: Subject;
  /** The damaged file, by path from the project's folder. */
  file: string;
}

/** The address of a mutant, such as `claims/row-lock count-claims.ts drops a statement: …`. */
export const nameOfMutant = ({ subject, file, name }: Damaged): string =>
  `${addressOf(subject)} ${path.basename(file)} ${name}`;

/**
 * The code that a strategy shares with other strategies. Each declaration is damaged with one
 * strategy only.
 */
const SHARED: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'claims/row-lock': {
    'src/lab/chapters/claims/count-claims.ts': ['countClaims'],
  },
  'claims/optimistic': { 'src/lab/chapters/claims/retry.ts': ['retryOn'] },
  'queue/outbox': {
    'src/lab/chapters/queue/lock-due.ts': ['lockDue'],
    'src/lab/chapters/queue/finish.ts': ['finish'],
  },
  'queue/lease-and-outbox': {
    'src/lab/chapters/queue/take-lease.ts': ['takeLease'],
    'src/lab/chapters/queue/finish.ts': ['finishIf'],
  },
  'retries/locked-row': {
    'src/lab/chapters/retries/queries.ts': ['chargeInside', 'insertKey', 'storeReceipt'],
  },
  'waitlist/offer-under-lock': {
    'src/lab/chapters/waitlist/parts.ts': [
      'lockJob',
      'offerFreeSlots',
      'freeSlots',
      'act',
      'claimFreeSlot',
      'join',
      'leave',
      'accept',
    ],
  },
};

/**
 * Strategies without mutants. Most of production's code does work that no situation plays, such as
 * keys, and `test/service/` tests this code. A mutant of the fenced lease that survives takes many
 * minutes, because time may pass at each of its steps.
 */
const LEFT_OUT = ['production', 'fenced-lease'];

/** Returns the other strategies that hold in every situation, by the written verdicts. */
export function findSubjects(): Subject[] {
  const written = z
    .record(z.string(), verdictRules)
    .parse(JSON.parse(readFileSync(inProject('workshop/verdicts.generated.json'), 'utf8')));
  return allStrategies
    .filter(({ strategy }) => !LEFT_OUT.includes(strategy.name))
    .filter((each) => written[addressOf(each)]?.verdict === 'holds')
    .map(subjectOf);
}

const STRATEGY = /^export const (\w+): \w+Strategy = \{\n {2}name: '([\w-]+)',$/gm;

function subjectOf(addressed: Addressed): Subject {
  const file = fileOf(addressed);
  const text = readFileSync(inProject(file), 'utf8');
  const names = new Map([...text.matchAll(STRATEGY)].map(([, name = '', own]) => [own, name]));
  const exported = names.get(addressed.strategy.name);
  if (exported === undefined) throw new Error(`${file} exports no ${addressed.strategy.name}`);
  return { ...addressed, exported, files: [file, ...Object.keys(sharedOf(addressed))] };
}

const sharedOf = (addressed: Addressed) => SHARED[addressOf(addressed)] ?? {};

/** Returns all mutants of a subject. */
export function mutantsOfSubject(subject: Subject): Damaged[] {
  return subject.files.flatMap((file, index) => {
    const text = readFileSync(inProject(file), 'utf8');
    const declarations = index === 0 ? [subject.exported] : (sharedOf(subject)[file] ?? []);
    return mutantsOf(text, declarations).map((mutant) => ({
      ...mutant,
      subject,
      file,
    }));
  });
}

/**
 * Returns the files of a program that exports the damaged strategy. All files are in one folder.
 * Imports of other files of the project become `rowlock/…`.
 */
export function filesOf({ subject, file, text }: Damaged): Map<string, string> {
  const nameIn = (each: string) => each.replaceAll('/', '_');
  const texts = subject.files.map(
    (each) =>
      [
        nameIn(each),
        withImports(each, each === file ? text : readFileSync(inProject(each), 'utf8'), (found) =>
          subject.files.includes(found)
            ? `./${nameIn(found)}`
            : found.replace(/^src\//, 'rowlock/'),
        ),
      ] as const,
  );
  const [own = ''] = subject.files;
  const entry = `export { ${subject.exported} as default } from './${nameIn(own)}';\n`;
  return new Map([['mutant.ts', entry], ...texts]);
}

const withImports = (file: string, text: string, nameOf: (found: string) => string): string =>
  text.replaceAll(/( from ')(\.[^']+)(';)/g, (_, before, specifier, after) => {
    const found = path.posix.join(path.posix.dirname(file), specifier);
    if (!existsSync(inProject(found))) throw new Error(`${file} imports ${found}`);
    return `${before}${nameOf(found)}${after}`;
  });
