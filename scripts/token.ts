import { SignJWT } from 'jose';
import { z } from 'zod';
import { flag, runCommand, type Values, whole } from '../src/platform/process/command.ts';
import { UsageError } from '../src/platform/process/errors.ts';
import { openLog } from '../src/platform/process/log.ts';
import { print } from '../src/platform/process/print.ts';
import { type AuthSettings, isLoopback } from '../src/service/config/auth.ts';
import { type Config, readConfig } from '../src/service/config/config.ts';
import { judgeTokens } from '../src/service/http/auth/token.ts';

const options = {
  role: {
    value: 'ROLE',
    type: z.enum(['recruiter', 'company', 'admin'], 'must be recruiter, company or admin'),
    words: 'recruiter, company or admin',
  },
  sub: {
    value: 'SUB',
    type: z.string(),
    words: 'the id of the recruiter or the company, or the name of the admin',
  },
  hours: { ...whole(1, 720), default: 8, words: 'when the token expires' },
  production: flag('makes the token even if DATABASE_URL or HOST is set'),
};

const command = {
  name: 'token',
  purpose: 'Prints a token for a trial, signed with AUTH_JWT_SECRET.',
  usage: ['--role ROLE --sub SUB [options]'],
  options,
};

interface Wanted {
  role: string;
  sub: string;
  hours: number;
}

runCommand(command, async (given) => {
  print(`${await signedFor(given, readConfig())}\n`);
  return 0;
});

async function signedFor(
  { role, sub, hours, production }: Values<typeof options>,
  config: Config,
): Promise<string> {
  if (role === undefined || sub === undefined)
    throw new UsageError('--role and --sub are needed. See: npm run token -- --help');
  const { auth } = config;
  if (auth.kind !== 'secret') throw new UsageError(adviceFor(auth.kind));
  if (!production && (config.databaseUrl !== undefined || !isLoopback(config.host)))
    throw new UsageError(
      'DATABASE_URL or HOST is set, so this service may be in production. A token gives all rights ' +
        'of its bearer. Add --production to make the token anyway.',
    );
  const token = await sign({ role, sub, hours }, auth);
  // The code of the service checks the token, so we never print a token that the service refuses.
  const caller = await judgeTokens(auth, openLog('silent'))(token);
  if (caller === 'keys unavailable' || 'why' in caller)
    throw new UsageError(
      '--sub must be an id, such as 7. For an admin, --sub must be a name of at most 200 characters.',
    );
  return token;
}

async function sign({ role, sub, hours }: Wanted, auth: AuthSettings & { kind: 'secret' }) {
  const made = new SignJWT({ role })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(sub)
    .setExpirationTime(`${hours} hours`);
  if (auth.audience !== undefined) made.setAudience(auth.audience);
  if (auth.issuer !== undefined) made.setIssuer(auth.issuer);
  return made.sign(Buffer.from(auth.secret));
}

function adviceFor(kind: AuthSettings['kind']): string {
  return kind === 'jwks'
    ? 'The service checks tokens with the keys at AUTH_JWKS_URL. Get a token from their owner.'
    : 'The service requires no tokens. Set AUTH_JWT_SECRET to a secret of at least 32 bytes, for ' +
        'this command and for npm start.';
}
