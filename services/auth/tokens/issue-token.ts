import type { Caller, Tokens } from '../../../contracts/auth/schemas.ts';
import type { User } from '../../../contracts/users/schemas.ts';
import { ServiceError, userNotFound } from '../../../domain/errors.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Call } from '../../../runtime/environment.ts';
import { acting } from '../actor.ts';
import { wrongCredentials } from '../log-in/wrong-credentials.ts';
import { endFamily } from '../queries/end-families.ts';
import {
  insertFamilyByApplication,
  insertFamilyByDeveloper,
  insertFamilyOfUser,
  type NewFamily,
} from '../queries/insert-family.ts';
import { selectApplicationSecret } from '../queries/select-credentials.ts';
import { freshFamily } from './fresh-family.ts';
import { lifetimesOf, type SessionDays } from './lifetimes.ts';
import { sameHash, sha256 } from './secrets.ts';
import type { TokenSigner } from './tokens.ts';

/** Dependencies of issuing tokens. */
export interface Issuing {
  readonly database: Database;
  readonly tokens: TokenSigner;
  readonly call: Call;
  readonly origin: AuditOrigin;
  readonly config: SessionDays;
}

/** A request for a user's token; an application sends its id and secret. */
export interface TokenRequest {
  readonly user_id: string;
  readonly app_id?: string | undefined;
  readonly app_secret?: string | undefined;
}

/**
 * Issues tokens that read one user's data, to an application or a developer.
 * @throws CREDENTIALS_MISSING (400), UNAUTHENTICATED (401), FORBIDDEN (403), USER_NOT_FOUND (404)
 */
export async function issueToken(
  { database, tokens, call, origin, config }: Issuing,
  request: TokenRequest,
  caller: Caller | null,
): Promise<Tokens> {
  const { refreshToken, family } = freshFamily(lifetimesOf(config).sdk);
  const issuedBy = await acting(database, origin, (on) => beginFamily(on, request, caller, family));
  await keepUnlessGone({ database, call }, request.user_id, family.familyId);
  const grant = { kind: 'sdk', subject: request.user_id, familyId: family.familyId, issuedBy } as const;
  return tokens.sign(grant, refreshToken);
}

/**
 * Issues tokens to a user who entered a code. @throws UNAUTHENTICATED (401) if the developer of the code was deleted,
 * USER_NOT_FOUND (404)
 */
export async function issueForCode(
  { database, tokens, call, origin, config }: Issuing,
  { user_id, developer_id }: { readonly user_id: string; readonly developer_id: string | null },
): Promise<Tokens> {
  const { refreshToken, family } = freshFamily(lifetimesOf(config).sdk);
  await acting(database, { ...origin, actor: `user:${user_id}` }, async (on) => {
    if (developer_id === null) await insertFamilyOfUser(on, family, user_id);
    else if (!(await insertFamilyByDeveloper(on, family, user_id, developer_id))) throw wrongCredentials();
  });
  await keepUnlessGone({ database, call }, user_id, family.familyId);
  const issuedBy = developer_id === null ? `user:${user_id}` : `admin:${developer_id}`;
  const grant = { kind: 'sdk', subject: user_id, familyId: family.familyId, issuedBy } as const;
  return tokens.sign(grant, refreshToken);
}

/**
 * The user of a new family, which ends if the user does not exist. The user is looked up after the family is committed: a concurrent deletion of the
 * user either ends the family or is seen by this call. @throws USER_NOT_FOUND (404)
 */
export async function keepUnlessGone(
  { database, call }: Pick<Issuing, 'database' | 'call'>,
  user_id: string,
  familyId: string,
): Promise<User> {
  try {
    return await call('users.get', { user_id });
  } catch (error) {
    await endFamily(database, familyId);
    throw error;
  }
}

// An application finds the users of its own project only. @throws USER_NOT_FOUND (404)
async function refuseForeign(database: Queryable, userId: string, project: string): Promise<void> {
  const statement = 'select users.project_of($1) as project';
  const [row] = await database.query<{ project: string | null }>(statement, [userId]);
  if (typeof row?.project === 'string' && row.project !== project) throw userNotFound(userId);
}

async function beginFamily(
  database: Queryable,
  { user_id, app_id, app_secret }: TokenRequest,
  caller: Caller | null,
  family: NewFamily,
): Promise<string> {
  if (app_id !== undefined || app_secret !== undefined) {
    const application = await selectApplicationSecret(database, app_id ?? '');
    const matches = sameHash(sha256(app_secret ?? ''), application?.secretHash ?? sha256(''));
    if (application === null || !matches) throw wrongCredentials();
    await refuseForeign(database, user_id, application.project);
    if (await insertFamilyByApplication(database, family, user_id, application)) return `app:${app_id}`;
    throw wrongCredentials();
  }
  if (caller === null) throw new ServiceError('CREDENTIALS_MISSING');
  const developerId = caller.kind === 'developer' ? caller.developer_id : null;
  if (developerId === null) throw new ServiceError('FORBIDDEN');
  if (await insertFamilyByDeveloper(database, family, user_id, developerId)) return `admin:${developerId}`;
  throw wrongCredentials();
}
