/** The longest search that the service accepts. */
export const LONGEST_SEARCH = 100;

/**
 * The typed text as a parameter of a request. A text without letters and digits gives no parameter.
 */
export const searched = (q: string): { q?: string } => (/[\p{L}\p{N}]/u.test(q) ? { q } : {});
