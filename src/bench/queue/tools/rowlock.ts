import type { Tool } from '../tool.ts';
export const rowlock: Tool = {
  prepare: async () => { throw new Error('not yet'); },
  open: async () => { throw new Error('not yet'); },
};
