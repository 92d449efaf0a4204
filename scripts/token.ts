import { SignJWT } from 'jose';
import { z } from 'zod';
import { type Config, readConfig } from '../src/config.ts';
import { type AuthSettings, isLoopback } from '../src/http/auth/settings.ts';
import { judgeTokens } from '../src/http/auth/token.ts';
import { UsageError } from '../src/process/errors.ts';
import { openLog } from '../src/process/log.ts';
import { runMain } from '../src/process/main.ts';
import { readOptions, whole } from '../src/process/options.ts';
import { print } from '../src/process/print.ts';

const HELP = `Prints a token for a trial, signed with AUTH_JWT_SECRET.

Usage: npm run token -- --role ROLE --sub SUB

  --role ROLE        recruiter, company or admin
  --sub SUB          the id of the recruiter or the company, or the name of the admin
  --hours N          when the token expires (default 8, at most 720)
  --production       makes the token even if DATABASE_URL or HOST is set
  --help             show this
`;

const LONGEST_HOURS = 720;

const rules = z.object({
  help: z.boolean().default(false),
  role: z
    .enum(['recruiter', 'company', 'admin'], '--role must be recruiter, company or admin')
    .optional(),
  sub: z.string().optional(),
  hours: whole('--hours', 1, LONGEST_HOURS, 8),
  production: z.boolean().default(false),
});
type Options = z.infer<typeof rules>;
interface Wanted {
  role: string;
  sub: string;
  hours: number;
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const settings = { options: { role: text, sub: text, hours: text, production: flag, help: flag } };

runMain(async () => {
  const { options } = readOptions('token', rules, settings);
  print(options.help ? HELP : `${await signedFor(options, readConfig())}\n`);
  return 0;
});

async function signedFor(
  { role, sub, hours, production }: Options,
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
  // The service itself judges the token, so no token is printed that the service would refuse.
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
