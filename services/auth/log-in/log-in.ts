import type { Tokens } from '../../../contracts/auth/schemas.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { acting } from '../actor.ts';
import { insertSession } from '../queries/insert-family.ts';
import { insertKnownLogIn } from '../queries/known-log-ins.ts';
import { type PasswordRow, selectPassword } from '../queries/select-credentials.ts';
import { checkSecondFactor } from '../second-factor/check-code.ts';
import { freshFamily } from '../tokens/fresh-family.ts';
import { lifetimesOf, type SessionDays } from '../tokens/lifetimes.ts';
import type { TokenSigner } from '../tokens/tokens.ts';
import { type AttemptPriority, trustedPriority } from './attempts.ts';
import { auditFailedLogIn } from './failed-log-in.ts';
import type { Passwords } from './passwords.ts';
import { wrongCredentials } from './wrong-credentials.ts';

/** Dependencies of a log-in. */
export interface LoggingIn {
  readonly database: Database;
  readonly tokens: TokenSigner;
  readonly passwords: Passwords;
  readonly cipher: Cipher;
  readonly origin: AuditOrigin;
  readonly config: SessionDays;
}

/** Starts a developer's session. @throws UNAUTHENTICATED (401), after the same time for an unknown e-mail as for a wrong password */
export async function logIn(
  loggingIn: LoggingIn,
  email: string,
  password: string,
  priority: AttemptPriority = trustedPriority,
  code?: string,
): Promise<Tokens> {
  const { tokens, config } = loggingIn;
  const { refreshToken, family } = freshFamily(lifetimesOf(config).developer);
  const developer = await openWith(loggingIn, { email, password, code }, priority, (on, account) =>
    insertSession(on, family, account),
  );
  const issuedBy = `admin:${developer.id}`;
  const grant = { kind: 'developer', subject: developer.id, familyId: family.familyId, issuedBy } as const;
  return tokens.sign(grant, refreshToken);
}

/** Checks a password and a second factor, and runs `insert`, which inserts a session. It returns false if the password has changed since. */
export async function openWith(
  checking: Checking & { readonly cipher: Cipher },
  login: Login,
  priority: AttemptPriority,
  insert: (on: Queryable, developer: Proven) => Promise<boolean>,
): Promise<PasswordRow> {
  const account = await checkPassword(checking, login, priority);
  const given = { code: login.code, address: priority.address };
  const developer = { ...account, isProven: await checkSecondFactor(checking, account.id, given) };
  const isOpen = await acting(checking.database, checking.origin, async (on) => {
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
export type Checking = Pick<LoggingIn, 'database' | 'passwords' | 'origin'>;

/** The account of an e-mail address and its password. @throws UNAUTHENTICATED (401); the failure is audited */
export async function checkPassword(
  { database, passwords, origin }: Checking,
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
