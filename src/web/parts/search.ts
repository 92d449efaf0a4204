/** What the service takes. */
export const LONGEST_SEARCH = 100;

/** What is typed as a parameter of a request; nothing as long as it has no letter and no digit. */
export const searched = (q: string): { q?: string } => (/[\p{L}\p{N}]/u.test(q) ? { q } : {});
