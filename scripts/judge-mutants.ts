import {
  type Damaged,
  findSubjects,
  mutantsOfSubject,
  nameOfMutant,
} from '../proof/mutants/subjects.ts';
import { byChance, equivalents, untried } from '../proof/mutants/survivors.ts';
import { type Tried, tryMutants } from '../proof/mutants/try-mutants.ts';
import { type Addressed, addressOf } from '../src/lab/chapters/index.ts';
import { UsageError } from '../src/platform/process/errors.ts';
import { print } from '../src/platform/process/print.ts';
import { clearProgress, showProgress } from '../src/platform/process/progress.ts';
import { withLanes } from './arena.ts';
import { runnable } from './chosen.ts';

/**
 * How long a mutant is judged that is known to survive. Its whole judgement takes a minute. If the
 * judge finds a fault in this time, the list is wrong.
 */
const LISTED_MS = 5_000;

/**
 * Judges damaged copies of right strategies, by default of all of them. Prints how many mutants the
 * judge catches. Returns the exit code: 0 if exactly the listed mutants survive. A mutant that is
 * caught by chance may survive or not.
 */
export async function judgeMutants(addresses: readonly string[], stop: AbortSignal) {
  const all = findSubjects();
  const unknown = addresses.find((address) => !all.some((each) => addressOf(each) === address));
  if (unknown !== undefined)
    throw new UsageError(
      `${unknown} has no mutants. These strategies have mutants: ${all.map(addressOf).join(', ')}.`,
    );
  const isChosen = (each: Addressed) =>
    addresses.length === 0 || addresses.includes(addressOf(each));
  const subjects = runnable(all.filter(isChosen)) as typeof all;
  const mutants = subjects.flatMap(mutantsOfSubject);
  // A mutant without `await` leaves errors that nobody handles. The schedule still shows its faults.
  process.on('unhandledRejection', () => undefined);
  const begin = performance.now();
  const tried = await withLanes(stop, (urls) =>
    tryMutants(mutants, urls, {
      stop,
      mostMs: (mutant) => (isListed(mutant) ? LISTED_MS : undefined),
      onTried: (each, count) => {
        showProgress(`${count} of ${mutants.length} mutants`);
        if (!isRight(each)) tellWrong(each);
      },
    }),
  );
  clearProgress();
  const seconds = Math.round((performance.now() - begin) / 1000);
  print(`${describe(tried)}\n${seconds} s\n`);
  return tried.every(isRight) ? 0 : 1;
}

const isEquivalent = (mutant: Damaged): boolean => equivalents.has(nameOfMutant(mutant));
const isUntried = (mutant: Damaged): boolean => untried.has(nameOfMutant(mutant));
const isListed = (mutant: Damaged): boolean => isEquivalent(mutant) || isUntried(mutant);

const isByChance = (mutant: Damaged): boolean => byChance.has(nameOfMutant(mutant));

const isRight = ({ mutant, result }: Tried): boolean =>
  isByChance(mutant) || isListed(mutant) === (result === 'survived');

function tellWrong({ mutant, by }: Tried) {
  const words = isListed(mutant)
    ? `is in proof/mutants/survivors.ts, and is caught: ${by}`
    : 'survives, and is not in proof/mutants/survivors.ts';
  clearProgress();
  print(`${mutant.file}:${mutant.line}\n  ${nameOfMutant(mutant)}\n  ${words}\n`);
}

function describe(tried: readonly Tried[]): string {
  const equivalent = tried.filter(({ mutant }) => isEquivalent(mutant)).length;
  const others = tried.filter(({ mutant }) => !isEquivalent(mutant));
  const count = (result: Tried['result']) => others.filter((each) => each.result === result).length;
  const survived = count('survived');
  const known = others.filter(
    ({ mutant, result }) => (isUntried(mutant) || isByChance(mutant)) && result === 'survived',
  ).length;
  // Anybody notices code that ends in an error of its own, so such a mutant proves nothing.
  const told = count('caught') + count('remarked');
  const share = Math.floor((100 * told) / Math.max(1, told + survived));
  return [
    `${tried.length} mutants`,
    `  ${count('caught')} break a rule`,
    `  ${count('broken')} end in an error of their own`,
    `  ${count('remarked')} get a remark on an answer`,
    `  ${equivalent} are equivalent`,
    `  ${survived} survive, ${known} of them known`,
    `The judge catches ${share} % of the mutants that run and are not equivalent.`,
    'proof/mutants/survivors.ts says why each known mutant survives.',
  ].join('\n');
}
