export { explore } from './explore.ts';
export { RuleBroken } from './message.ts';
export type * from './types.ts';
