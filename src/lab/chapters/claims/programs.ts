import { answers } from '../../../service/claims/answers.ts';
import type { Outcome } from '../../../service/claims/rules.ts';
import type { AnswerRule, ProgramRules } from '../../chapter.ts';
import { JOB } from './board.ts';
import { situationsOf } from './situations.ts';
import type { ClaimStrategy } from './strategy.ts';

/** The capacity of all situations but one, and of the crowd. */
const CAPACITY = 4;

const refusals = Object.entries(answers).map(([kind, { status, code }]) => ({
  kind,
  status,
  code,
}));

/**
 * Several kinds share a status. If the body has the code of one of these kinds, the code decides.
 * Otherwise the first rule for the status decides.
 */
const usual: AnswerRule[] = [
  { kind: 'claimed', status: 200 },
  { kind: 'claimed', status: 201 },
  ...refusals.map(({ kind, status, code }) => ({ kind, status, word: code })),
  ...refusals.map(({ kind, status }) => ({ kind, status })),
];

/** A program claims by `GET /claim-job`, as production's frontends do. Session 1 is recruiter 1. */
export const programs: ProgramRules<ClaimStrategy> = {
  answers: usual,
  path: '/claim-job',
  queryOf: (session) => queryOf(JOB, session),
  capacities: [CAPACITY],
  hintOf(fallen) {
    const others = situationsOf({ isProgram: true }).filter(
      ({ capacity }) => capacity !== CAPACITY,
    );
    if (!fallen.every((name) => others.some((each) => each.name === name))) return undefined;
    return (
      `Every fault is in a job with another number of slots than ${CAPACITY}. If the program has ` +
      `${CAPACITY} in its code, add --capacity ${CAPACITY}. If it has another number there, use ` +
      '--schema with tables of your own.'
    );
  },
  strategyOf: (name, ask, capacity) => ({
    name,
    idea: 'a program that answers HTTP',
    promise: 'capacity',
    isProgram: true,
    ...(capacity !== undefined && { capacity }),
    claim: async (_, { jobId, recruiterId }) => {
      const kind = await ask(Number(recruiterId), queryOf(jobId, recruiterId));
      // The trial needs only the kind.
      return { kind } as Outcome;
    },
  }),
};

const queryOf = (jobId: bigint | number, recruiterId: bigint | number) =>
  `jobId=${jobId}&recruiterId=${recruiterId}`;
