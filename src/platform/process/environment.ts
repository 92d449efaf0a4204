// Only this file reads the environment of this process.

/** Returns the environment of this process with these variables added. */
export const environmentWith = (variables: Record<string, string>): NodeJS.ProcessEnv => ({
  ...process.env,
  ...variables,
});

/**
 * Reads the variables that npm or another Rowlock process sets for the processes that it starts.
 */
export const starterVariables = () => {
  const { ROWLOCK_PARENT: parent, npm_lifecycle_event: script } = process.env;
  return { parent, script, agent: process.env.npm_config_user_agent };
};

/**
 * Returns whether the terminal can only append text. Such a terminal cannot, for example, clear the
 * screen.
 */
export const isDumbTerminal = (): boolean => process.env.TERM === 'dumb';

/** Returns whether this process runs in continuous integration. */
export const isInCI = (): boolean => !['', '0', 'false', undefined].includes(process.env.CI);

/** Returns whether this process runs in a workflow of GitHub. */
export const isOnGitHub = (): boolean => process.env.GITHUB_ACTIONS === 'true';

/** Returns the folders in which the system searches for programs. */
export const programFolders = (): string => process.env.PATH ?? '';

/** Returns the folder for temporary files, if a person has chosen a folder. */
export const chosenTemporaryFolder = (): string | undefined => process.env.TMPDIR || undefined;

/**
 * Returns the folder from which a person started the command. npm itself runs each script in the
 * project's folder.
 */
export const callersFolder = (): string => process.env.INIT_CWD || process.cwd();
