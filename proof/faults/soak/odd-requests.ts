import { METHODS } from 'node:http';
import type { Dice } from '../dice.ts';

/** A bad request, or a good request that changes no claim. */
export interface OddRequest {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** The allowed answers. The name of an answer must begin with one of these texts. */
  answers: string[];
}

type OddRequestMaker = (dice: Dice) => OddRequest;

/** The numbers of jobs and recruiters in the demo data. */
const JOBS = 24;
const RECRUITERS = 120;
const LARGEST_ID = 2n ** 63n - 1n;
const TOO_LARGE = 'x'.repeat(20_000);
const JSON_TYPE = { 'Content-Type': 'application/json' };

const job = (dice: Dice) => 1 + dice.below(JOBS);
const recruiter = (dice: Dice) => 1 + dice.below(RECRUITERS);
/** Returns an id that no row has. */
const nobody = (dice: Dice) => String(LARGEST_ID - BigInt(dice.below(2 ** 31)));
const word = (dice: Dice) => dice.below(2 ** 31).toString(36);

const post = (path: string, body: string, answers: string[]): OddRequest => ({
  method: 'POST',
  path,
  headers: JSON_TYPE,
  body,
  answers,
});
const get = (path: string, ...answers: string[]): OddRequest => ({ path, answers });
const badClaim = (dice: Dice, body: string, ...answers: string[]) =>
  post(`/jobs/${job(dice)}/claims`, body, answers);
const claimByNobody = (dice: Dice) =>
  badClaim(dice, `{"recruiterId":"${nobody(dice)}"}`, '404 recruiter', '403 job-full');
const withHeader = (request: OddRequest, name: string, value: string): OddRequest => ({
  ...request,
  headers: { ...request.headers, [name]: value },
});

const claims: OddRequestMaker[] = [
  claimByNobody,
  (dice) => withHeader(claimByNobody(dice), 'Idempotency-Key', word(dice)),
  // These requests share 20 keys, so most of them use a known key with a different body.
  (dice) => ({
    ...withHeader(claimByNobody(dice), 'Idempotency-Key', `reused-${dice.below(20)}`),
    answers: ['404 recruiter', '403 job-full', '409 key-in-use', '422'],
  }),
  (dice) => withHeader(badClaim(dice, '{}', '400'), 'Idempotency-Key', '"never closed'),
  (dice) => get(`/claim-job?jobId=${nobody(dice)}&recruiterId=${recruiter(dice)}`, '404 job'),
  (dice) => get(`/claim-job?jobId=${LARGEST_ID + 1n}&recruiterId=${recruiter(dice)}`, '400'),
  (dice) => get(`/claim-job?jobId=${job(dice)}&recruiterId=${word(dice)}x`, '400'),
  (dice) => {
    const seconds = dice.any(['0', '-1', '1.5', '2592001', '1e99', '"900"', 'null']);
    return badClaim(dice, `{"recruiterId":1,"leaseSeconds":${seconds}}`, '400');
  },
  (dice) => badClaim(dice, dice.any(['{"recruiterId":', '', '[]', 'null', '\u0000']) ?? '', '400'),
  (dice) => badClaim(dice, `{"recruiterId":1,"${word(dice)}":1}`, '400'),
  (dice) => badClaim(dice, `{"recruiterId":"${TOO_LARGE}"}`, '413'),
  (dice) => withHeader(badClaim(dice, TOO_LARGE, '413'), 'Transfer-Encoding', 'chunked'),
  (dice) => withHeader(badClaim(dice, '{"recruiterId":1}', '415'), 'Content-Type', 'text/plain'),
  (dice) =>
    withHeader(
      badClaim(dice, '{"recruiterId":1}', '403'),
      'Origin',
      `https://${word(dice)}.example`,
    ),
  (dice) => {
    const purpose = dice.any(['Purpose', 'Sec-Purpose', 'X-Moz']) ?? '';
    return withHeader(
      get(`/claim-job?jobId=1&recruiterId=${recruiter(dice)}`, '400'),
      purpose,
      'prefetch',
    );
  },
  (dice) => ({ method: 'DELETE', path: `/claims/${nobody(dice)}`, answers: ['404 claim'] }),
  (dice) => post(`/claims/${nobody(dice)}/renew`, '{"leaseSeconds":9}', ['404 claim']),
];

const addresses: OddRequestMaker[] = [
  (dice) => withHeader(get('/jobs', '403'), 'Host', `${word(dice)}.example`),
  (dice) => withHeader(get('/jobs', '400'), 'Host', dice.any(['1.2.3.4.5', 'xn--', 'a b']) ?? ''),
  (dice) => get(`http://user:${word(dice)}@localhost/jobs`, '400'),
  (dice) => get(`/${word(dice)}`, '404 not-found'),
  (dice) => get(`/${word(dice)}/${TOO_LARGE.slice(0, dice.below(5_000))}`, '404 not-found'),
  (dice) => get(`/jobs?limit=1&q=${word(dice)}`, '200'),
  (dice) => ({
    method: dice.any(METHODS.filter((name) => name !== 'CONNECT')) ?? 'PURGE',
    path: `/${word(dice)}`,
    answers: ['404', '403'],
  }),
  (dice) => ({
    method: dice.any(['OPTIONS', 'PUT', 'PROPFIND']) ?? 'PUT',
    path: `/jobs/${job(dice)}`,
    answers: ['405'],
  }),
  () => ({ method: 'HEAD', path: '/claim-job?jobId=1&recruiterId=1', answers: ['405'] }),
  (dice) => ({ method: 'HEAD', path: `/jobs/${job(dice)}`, answers: ['200'] }),
  () => ({ method: 'HEAD', path: '/jobs/events', answers: ['200'] }),
];

const reads: OddRequestMaker[] = [
  (dice) => get(`/jobs?limit=${1 + dice.below(100)}&status=open`, '200'),
  (dice) => get(`/jobs?limit=${dice.any(['0', '101', 'x', ''])}`, '400'),
  (dice) => get(`/jobs/${job(dice)}`, '200'),
  (dice) => get(`/jobs/${nobody(dice)}`, '404 job'),
  (dice) => get(`/jobs/${job(dice)}/claims`, '200'),
  (dice) => get(`/recruiters/${recruiter(dice)}/claims`, '200'),
  (dice) => get(`/recruiters?q=${word(dice)}`, '200'),
  () => get('/companies', '200'),
  () => get('/healthz', '200'),
  () => get('/readyz', '200', '503'),
  () => get('/metrics', '200'),
  () => get('/openapi.json', '200'),
  (dice) => get(`/jobs/events?jobId=${word(dice)}x`, '400'),
];

/** Writes that add no rows. More rows would make the answers longer. */
const writes: OddRequestMaker[] = [
  (dice) => ({
    ...post(`/jobs/${job(dice)}`, `{"role":"Role ${word(dice)}"}`, ['200']),
    method: 'PATCH',
  }),
  (dice) => ({ ...post(`/jobs/${job(dice)}`, '{"capacity":0}', ['400']), method: 'PATCH' }),
  (dice) => post('/jobs', `{"companyId":"${nobody(dice)}","role":"None"}`, ['404 company']),
  () => post('/companies', '{"name":"\u202e"}', ['400']),
];

const kinds = [...claims, ...addresses, ...reads, ...writes];

export const oddRequest = (dice: Dice): OddRequest => (dice.any(kinds) ?? claimByNobody)(dice);
