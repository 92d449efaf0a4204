import {
  type Args,
  type CallOptions,
  call,
  type Done,
  type NoAnswer,
  type Problem,
} from './call.ts';
import { type FollowJobs, followerOf } from './follow/follow.ts';
import { OPERATIONS, type Operations } from './operations.generated.ts';
import { type ClientOptions, Sender } from './send.ts';

/** The answer to an operation: its data, or a problem with one of its codes. */
export type Answer<Name extends keyof Operations> =
  | Done<Operations[Name]['data']>
  | Problem<Operations[Name]['problems'] | NoAnswer>;

/** A call of an operation. If no argument is required, you may leave out the arguments. */
export type Call<Name extends keyof Operations> =
  Record<never, never> extends Operations[Name]['args']
    ? (args?: Operations[Name]['args'], options?: CallOptions) => Promise<Answer<Name>>
    : (args: Operations[Name]['args'], options?: CallOptions) => Promise<Answer<Name>>;

/** A client for one service. Each operation of the OpenAPI document is a method. */
export type Rowlock = { readonly [Name in keyof Operations]: Call<Name> } & {
  /** The address of the service. */
  readonly url: string;
  /**
   * Follows jobs, or the claims of a recruiter. If several tabs of a browser follow the same jobs
   * or claims, the tabs share a stream.
   */
  readonly followJobs: FollowJobs;
  /**
   * Forgets the token, for example because somebody else has signed in. For its next request, the
   * client calls the token function again.
   */
  forgetToken(): void;
  /** Returns the service's time in milliseconds since 1970. Leases end by the service's clock. */
  now(): number;
  /**
   * Sends your own request, like `fetch`, but with the token. `path` begins with a slash. The
   * request is not repeated.
   */
  fetch(path: string, init?: RequestInit): Promise<Response>;
};

/**
 * Makes a client for the Rowlock server at `url`:
 *
 *     const rowlock = createClient('http://localhost:3000', { token });
 *     const answer = await rowlock.claimJob({ jobId: 2, recruiterId: 7 });
 *     if (answer.ok) answer.data.claim;
 *     else if (answer.code === 'job-full') answer.detail;
 *
 * The client repeats a request if the service sends `Retry-After` or does not answer. The client
 * sends a request at most five times. Every write has an idempotency key, so the service does a
 * repeated write once. A call returns a refusal as its answer. A call throws only if its signal is
 * aborted, or if the function that gives the token throws.
 *
 * Throws a `TypeError` if `url` lacks `http://` or `https://`. In a browser, `url` may also begin
 * with a slash or a dot.
 */
export function createClient(url: string, options: ClientOptions = {}): Rowlock {
  const sender = new Sender(url, options);
  const calls = Object.entries(OPERATIONS).map(([name, operation]) => [
    name,
    (args: Args = {}, options?: CallOptions) => call(sender, operation, args, options),
  ]);
  return {
    ...Object.fromEntries(calls),
    url: sender.url,
    followJobs: followerOf(sender),
    forgetToken: () => sender.tokens.forget(),
    now: () => sender.clock.at(Date.now()),
    fetch: (path: string, init: RequestInit = {}) => sender.send(path, init),
  };
}
