import type { Tokens } from '../../../contracts/auth/schemas.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import { lifetimesOf, type SessionDays, sessionLifetimeOf } from '../rules/lifetimes.ts';
import { wrongCredentials } from '../rules/password-rules.ts';
import { acting } from '../tables/acting.ts';
import { insertKnownLogIn } from '../tables/attempts.ts';
import {
  deleteSession,
  insertSessionByLink,
  insertSessionByPassword,
  insertSignInLink,
} from '../tables/console-sessions.ts';
import { type PasswordRow, selectPassword } from '../tables/developers.ts';
import { insertSession } from '../tables/families.ts';
import { type AttemptPriority, auditFailedLogIn, trustedPriority } from '../work/attempts.ts';
import type { AuthDeps } from '../work/deps.ts';
import { checkSecondFactor } from '../work/second-factor.ts';
import { freshFamily } from './tokens.ts';

type LogInDeps = Pick<AuthDeps, 'database' | 'tokens' | 'passwords' | 'cipher' | 'origin'> & {
  readonly config: SessionDays;
};

/** Starts a developer's session. @throws UNAUTHENTICATED (401), after the same time for an unknown e-mail as for a wrong password */
export async function logIn(
  deps: LogInDeps,
  email: string,
  password: string,
  priority: AttemptPriority = trustedPriority,
  code?: string,
): Promise<Tokens> {
  const { tokens, config } = deps;
  const { refreshToken, family } = freshFamily(lifetimesOf(config).developer);
  const developer = await openWith(deps, { email, password, code }, priority, (on, account) =>
    insertSession(on, family, account),
  );
  const issuedBy = `admin:${developer.id}`;
  const grant = { kind: 'developer', subject: developer.id, familyId: family.familyId, issuedBy } as const;
  return tokens.sign(grant, refreshToken);
}

/** Checks a password and a second factor, and runs `insert`, which inserts a session. It returns false if the password has changed since. */
async function openWith(
  deps: PasswordDeps & { readonly cipher: Cipher },
  login: Login,
  priority: AttemptPriority,
  insert: (on: Queryable, developer: Proven) => Promise<boolean>,
): Promise<PasswordRow> {
  const account = await checkPassword(deps, login, priority);
  const factor = { code: login.code, address: priority.address };
  const developer = { ...account, isProven: await checkSecondFactor(deps, account.id, factor) };
  const isOpen = await acting(deps.database, deps.origin, async (on) => {
    if (!(await insert(on, developer))) return false;
    if (priority.address !== '') await insertKnownLogIn(on, developer.id, priority.address);
    return true;
  });
  if (!isOpen) throw wrongCredentials();
  return developer;
}

interface Login {
  readonly email: string;
  readonly password: string;
  /** The second factor. */
  readonly code?: string | undefined;
}

/** An account whose password is checked, and whether its second factor is. */
type Proven = PasswordRow & { readonly isProven: boolean };

/** Dependencies of the check of a password. */
type PasswordDeps = Pick<LogInDeps, 'database' | 'passwords' | 'origin'>;

/** The account of an e-mail address and its password. @throws UNAUTHENTICATED (401); the failure is audited */
export async function checkPassword(
  { database, passwords, origin }: PasswordDeps,
  { email, password }: { readonly email: string; readonly password: string },
  priority: AttemptPriority,
): Promise<PasswordRow> {
  const developer = await selectPassword(database, email, priority.address);
  const isKnown = priority.isKnown || developer?.isKnown === true;
  const matches = await passwords.matches(password, developer?.password ?? null, { ...priority, isKnown });
  if (developer !== null && matches) return developer;
  await auditFailedLogIn(database, origin, {
    developerId: developer?.id ?? null,
    address: priority.address,
  });
  throw wrongCredentials();
}

type SessionDeps = Omit<LogInDeps, 'tokens'>;

/** Links are printed in a terminal and opened at once, so a short lifetime is enough. */
const linkSeconds = 10 * 60;

/** Starts a session with a password; returns the developer's id. @throws UNAUTHENTICATED (401) */
export async function startSession(
  deps: SessionDeps,
  login: Login & { readonly session_hash: string },
  priority: AttemptPriority,
): Promise<string> {
  const session = { hash: login.session_hash, ...sessionLifetimeOf(deps.config) };
  const { id } = await openWith(deps, login, priority, (on, developer) =>
    insertSessionByPassword(on, session, developer),
  );
  return id;
}

/** Starts a session with a link; returns the developer's id. @throws UNAUTHENTICATED (401) if it is used or expired */
export async function startSessionByLink(
  { database, origin, config }: SessionDeps,
  { link_hash, session_hash }: { readonly link_hash: string; readonly session_hash: string },
): Promise<string> {
  const session = { hash: session_hash, ...sessionLifetimeOf(config) };
  const id = await acting(database, origin, (on) => insertSessionByLink(on, session, link_hash));
  if (id === null) throw linkRefused();
  return id;
}

/** Ends a session; one that has ended is no error. */
export async function endSession({ database, origin }: SessionDeps, hash: string): Promise<void> {
  await database.transaction(async (transaction) => {
    const ended = await deleteSession(transaction, hash);
    if (ended === null) return;
    const by = { ...origin, actor: `admin:${ended.developer_id}` };
    await recordAudit(transaction, by, { action: 'token.revoked', subjectId: ended.id });
  });
}

/** Stores a sign-in link; returns when it expires. @throws DEVELOPER_NOT_FOUND (404) */
export async function createSignInLink(
  { database }: Pick<SessionDeps, 'database'>,
  { email, link_hash }: { readonly email: string; readonly link_hash: string },
): Promise<{ expires_at: string }> {
  const expiresAt = await insertSignInLink(database, { hash: link_hash, email, seconds: linkSeconds });
  if (expiresAt === null) throw new ServiceError('DEVELOPER_NOT_FOUND');
  return { expires_at: formatInstant(expiresAt.getTime()) };
}

const linkRefused = () =>
  new ServiceError(
    'UNAUTHENTICATED',
    'This sign-in link was used before, or has expired. Log in with a password, or restart for a new link.',
  );
