/** The maximum length of a search that the service accepts. */
export const LONGEST_SEARCH = 100;

/**
 * Returns the typed text as the parameter `q` of a request. Returns no parameter for a text without
 * letters and digits.
 */
export const searched = (q: string): { q?: string } => (/[\p{L}\p{N}]/u.test(q) ? { q } : {});
