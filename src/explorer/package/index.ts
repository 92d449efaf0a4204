export { explore } from './explore.ts';
export { RuleBroken, SearchIncomplete } from './message.ts';
export type * from './types.ts';
