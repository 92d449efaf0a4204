import { answers } from '../../../service/claims/answers.ts';
import type { Outcome } from '../../../service/claims/rules.ts';
import type { AnswerRule, ProgramRules } from '../../chapter.ts';
import { JOB } from './rows.ts';
import type { ClaimStrategy } from './strategy.ts';

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
  strategyOf: (name, ask) => ({
    name,
    idea: 'a program that answers HTTP',
    promise: 'capacity',
    isProgram: true,
    claim: async (_, { jobId, recruiterId }) => {
      const kind = await ask(Number(recruiterId), queryOf(jobId, recruiterId));
      // The trial reads only the kind.
      return { kind } as Outcome;
    },
  }),
};

const queryOf = (jobId: bigint | number, recruiterId: bigint | number) =>
  `jobId=${jobId}&recruiterId=${recruiterId}`;
