export type { CallOptions, Done, NoAnswer, Problem } from './call.ts';
export { Claiming, type JobsToClaim, type JobToClaim } from './claiming.ts';
export { type Answer, type Call, createClient, type Rowlock } from './client.ts';
export type {
  ClaimHandlers,
  FollowedClaims,
  FollowedJobs,
  FollowJobs,
  HeldClaim,
  JobHandlers,
} from './follow/follow.ts';
export type { FollowStatus } from './follow/stream.ts';
export type * from './operations.generated.ts';
export type { ClientOptions } from './send.ts';
export { bearerOf, type TokenSource } from './token.ts';
