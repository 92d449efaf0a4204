/** The words for a repository whose address the site does not know. */
const UNKNOWN = 'ADDRESS';

/** Returns the two lines that start a server, and a sentence about ADDRESS if it is unknown. */
export function startServer(repository: string | undefined) {
  const lines = `git clone ${repository ?? UNKNOWN} rowlock && cd rowlock && npm ci\nnpm start`;
  const about = repository ? '' : `${UNKNOWN} is the address of this project’s repository.`;
  return { lines, needs: 'You need Node 20.19 or newer, and git.', about };
}
