import { ServiceError } from '../../../domain/errors.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { acting } from '../actor.ts';
import {
  deleteSession,
  insertSessionByLink,
  insertSessionByPassword,
  insertSignInLink,
} from '../queries/console-sessions.ts';
import { type SessionDays, sessionLifetimeOf } from '../tokens/lifetimes.ts';
import type { AttemptPriority } from './attempts.ts';
import { openWith } from './log-in.ts';
import type { Passwords } from './passwords.ts';

/** Dependencies of the sessions of the console. */
export interface ConsoleSessions {
  readonly database: Database;
  readonly passwords: Passwords;
  readonly cipher: Cipher;
  readonly origin: AuditOrigin;
  readonly config: SessionDays;
}

/** A link is opened by the one who reads the terminal, so minutes are enough. */
const linkSeconds = 10 * 60;

/** Starts a session with a password; returns the developer's id. @throws UNAUTHENTICATED (401) */
export async function startSession(
  sessions: ConsoleSessions,
  login: {
    readonly email: string;
    readonly password: string;
    readonly code?: string | undefined;
    readonly session_hash: string;
  },
  priority: AttemptPriority,
): Promise<string> {
  const session = { hash: login.session_hash, ...sessionLifetimeOf(sessions.config) };
  const { id } = await openWith(sessions, login, priority, (on, developer) =>
    insertSessionByPassword(on, session, developer),
  );
  return id;
}

/** Starts a session with a link; returns the developer's id. @throws UNAUTHENTICATED (401) if it is used or expired */
export async function startSessionByLink(
  { database, origin, config }: ConsoleSessions,
  { link_hash, session_hash }: { readonly link_hash: string; readonly session_hash: string },
): Promise<string> {
  const session = { hash: session_hash, ...sessionLifetimeOf(config) };
  const id = await acting(database, origin, (on) => insertSessionByLink(on, session, link_hash));
  if (id === null) throw linkRefused();
  return id;
}

/** Ends a session; one that has ended is no error. */
export async function endSession({ database, origin }: ConsoleSessions, hash: string): Promise<void> {
  await database.transaction(async (transaction) => {
    const ended = await deleteSession(transaction, hash);
    if (ended === null) return;
    const by = { ...origin, actor: `admin:${ended.developer_id}` };
    await recordAudit(transaction, by, { action: 'token.revoked', subjectId: ended.id });
  });
}

/** Stores a sign-in link; returns when it expires. @throws DEVELOPER_NOT_FOUND (404) */
export async function createSignInLink(
  { database }: Pick<ConsoleSessions, 'database'>,
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
