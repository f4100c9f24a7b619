import { randomUUID } from 'node:crypto';
import type { Caller, Tokens } from '../../../contracts/auth/schemas.ts';
import type { auth } from '../../../contracts/auth.ts';
import type { User } from '../../../contracts/users/schemas.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { isError, ServiceError, userNotFound, validationFailed } from '../../../domain/errors.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { Meta } from '../../../runtime/environment.ts';
import { publicUrl } from '../../../runtime/provider-settings.ts';
import type { TokenSigner } from '../rules/access-tokens.ts';
import { type Lifetime, lifetimesOf, type SessionDays } from '../rules/lifetimes.ts';
import { wrongCredentials } from '../rules/password-rules.ts';
import { newRefreshToken, sha256 } from '../rules/secrets.ts';
import { acting } from '../tables/acting.ts';
import { findFamily } from '../tables/admission.ts';
import type { ApplicationSecret } from '../tables/applications.ts';
import {
  consumeRefreshToken,
  type EmbedMaker,
  endFamily,
  endReusedFamily,
  familyOfId,
  familyOfRefreshToken,
  insertFamilyByApplication,
  insertFamilyByDeveloper,
  insertFamilyOfEmbed,
  insertFamilyOfUser,
  type LiveFamily,
  type NewFamily,
  selectRefreshToken,
} from '../tables/families.ts';
import { type ApplicationCredentials, provenApplication } from '../work/application-secrets.ts';
import type { AttemptPriority } from '../work/attempts.ts';
import type { AuthDeps } from '../work/deps.ts';
import { callingDeveloper } from './developers.ts';

type IssueDeps = Pick<AuthDeps, 'database' | 'tokens' | 'call' | 'origin'> & {
  readonly config: SessionDays;
};

/** A request for a user's token; an application sends its id and secret. */
type TokenRequest = ParamsOf<typeof auth, 'issueToken'>;

/**
 * Issues tokens that read one user's data, to an application or a developer.
 * @throws CREDENTIALS_MISSING (400), UNAUTHENTICATED (401), FORBIDDEN (403), USER_NOT_FOUND (404)
 */
export async function issueToken(
  { database, tokens, call, origin, config, bcrypt }: IssueDeps & Pick<AuthDeps, 'bcrypt'>,
  request: TokenRequest,
  caller: Caller | null,
  priority: AttemptPriority,
): Promise<Tokens> {
  const { refreshToken, family } = freshFamily(lifetimesOf(config).sdk);
  // No transaction is open while a secret is compared.
  const credentials = credentialsOf(request.app_id, request.app_secret);
  const application =
    credentials === null ? null : await provenApplication({ database, bcrypt }, credentials, priority);
  const issuedBy = await acting(database, origin, (on) =>
    application === null
      ? beginFamilyByDeveloper(on, request.user_id, caller, family)
      : beginFamilyByApplication(on, request.user_id, application, family),
  );
  await keepUnlessGone({ database, call }, request.user_id, family.familyId);
  const grant = { kind: 'sdk', subject: request.user_id, familyId: family.familyId, issuedBy } as const;
  return tokens.sign(grant, refreshToken);
}

/**
 * Issues tokens to a user who entered a code. @throws UNAUTHENTICATED (401) if the developer of the code was deleted,
 * USER_NOT_FOUND (404)
 */
export async function issueForCode(
  { database, tokens, call, origin, config }: IssueDeps,
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
 * Returns the user of a new family. Ends the family if the user does not exist. The user is looked up after the commit
 * of the family: a concurrent deletion of the user either ends the family or is found by this call. @throws
 * USER_NOT_FOUND (404)
 */
async function keepUnlessGone(
  { database, call }: Pick<IssueDeps, 'database' | 'call'>,
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

async function beginFamilyByApplication(
  database: Queryable,
  userId: string,
  application: ApplicationSecret,
  family: NewFamily,
): Promise<string> {
  await refuseForeign(database, userId, application.project);
  if (!(await insertFamilyByApplication(database, family, userId, application))) throw wrongCredentials();
  return `app:${application.appId}`;
}

async function beginFamilyByDeveloper(
  database: Queryable,
  userId: string,
  caller: Caller | null,
  family: NewFamily,
): Promise<string> {
  if (caller === null) throw new ServiceError('CREDENTIALS_MISSING');
  const developerId = caller.kind === 'developer' ? caller.developer_id : null;
  if (developerId === null) throw new ServiceError('FORBIDDEN');
  if (await insertFamilyByDeveloper(database, family, userId, developerId)) return `admin:${developerId}`;
  throw wrongCredentials();
}

function credentialsOf(appId: string | undefined, secret: string | undefined): ApplicationCredentials | null {
  if (appId === undefined && secret === undefined) return null;
  return { appId: appId ?? '', secret: secret ?? '' };
}

/** A new token family with its first refresh token as plain text. */
interface FreshFamily {
  readonly family: NewFamily;
  readonly refreshToken: string;
}

/** Generates a family's id and first refresh token; stores nothing. */
export function freshFamily({ refreshSeconds }: Lifetime): FreshFamily {
  const refreshToken = newRefreshToken();
  const refreshHash = sha256(refreshToken);
  return { refreshToken, family: { familyId: randomUUID(), refreshHash, refreshSeconds } };
}

type RefreshDeps = IssueDeps & Pick<AuthDeps, 'logger' | 'meta'>;

/** Exchanges a refresh token for new tokens. @throws UNAUTHENTICATED (401) if it is unknown or used, or its user is deleted */
export async function refresh(deps: RefreshDeps, refreshToken: string): Promise<Tokens> {
  const { database, tokens, config, meta } = deps;
  const hash = sha256(refreshToken);
  const presented = await selectRefreshToken(database, hash);
  if (presented === null) throw refreshRefused();
  const client = sha256(`${hash} ${meta.client ?? ''}`);
  const refuse = async () => {
    await endReused(deps, hash, client);
    return refreshRefused();
  };
  if (presented.consumed) throw await refuse();
  // The user is looked up before the token is consumed: if the users service is unavailable, the token stays valid.
  if (presented.user_id !== null) await requireUser(deps, presented.user_id, presented.family_id);
  const next = newRefreshToken();
  const family = await consumeRefreshToken(database, hash, sha256(next), lifetimesOf(config), client);
  const subject = family?.user_id ?? family?.developer_id ?? null;
  // Another request may have used the token meanwhile.
  if (family === null || subject === null) throw await refuse();
  const kind = family.user_id === null ? 'developer' : 'sdk';
  const grant = { kind, subject, familyId: family.id, issuedBy: family.issued_by } as const;
  return tokens.sign(grant, next, family.seconds_left);
}

async function endReused(
  { database, origin, logger }: RefreshDeps,
  hash: string,
  client: string,
): Promise<void> {
  const ended = await database.transaction(async (transaction) => {
    const family = await endReusedFamily(transaction, hash, client);
    if (family === null) return null;
    const entry = { userId: family.user_id, subjectId: family.id };
    await recordAudit(transaction, origin, { ...entry, action: 'token.reused' });
    return family;
  });
  if (ended !== null) logger.warn('refresh.reused', { family_id: ended.id });
}

async function requireUser(
  { call, database }: Pick<RefreshDeps, 'call' | 'database'>,
  id: string,
  family: string,
) {
  try {
    await call('users.get', { user_id: id });
  } catch (error) {
    if (!isError(error, 'USER_NOT_FOUND')) throw error;
    await endFamily(database, family);
    throw refreshRefused();
  }
}

const refreshRefused = () => new ServiceError('UNAUTHENTICATED', 'The refresh token is not valid.');

/** A token to revoke, with the credentials of the application that requests it, if any. */
type Revocation = ParamsOf<typeof auth, 'revoke'>;

/**
 * Ends the family of a token (RFC 7009). An unknown or expired token is no error.
 * @throws VALIDATION_FAILED (422) for an API key, UNAUTHENTICATED (401) for a wrong application, FORBIDDEN (403) for a
 * token that another application obtained
 */
export async function revoke(
  deps: Pick<AuthDeps, 'database' | 'tokens' | 'origin' | 'meta' | 'bcrypt'>,
  request: Revocation,
): Promise<void> {
  const { database, tokens, origin, meta } = deps;
  if (request.token.startsWith('sk-')) throw notAToken();
  const application = await applicationOf(deps, request, meta.address);
  const family = await familyOf(database, tokens, request.token);
  if (family === null) return;
  if (application !== null && family.application_id !== application.id) throw notItsToken();
  const actor = application === null ? ownerOf(family) : `app:${application.appId}`;
  await database.transaction(async (transaction) => {
    if (!(await endFamily(transaction, family.id))) return;
    const entry = { userId: family.user_id, subjectId: family.id };
    await recordAudit(transaction, { ...origin, actor }, { ...entry, action: 'token.revoked' });
  });
}

function familyOf(database: Queryable, tokens: TokenSigner, token: string): Promise<LiveFamily | null> {
  if (token.startsWith('rt-')) return familyOfRefreshToken(database, sha256(token));
  const claims = tokens.verify(token);
  return claims === null ? Promise.resolve(null) : familyOfId(database, claims.family);
}

// Both names are accepted: app_id and app_secret, and those of RFC 7009 clients.
async function applicationOf(
  deps: Pick<AuthDeps, 'database' | 'bcrypt'>,
  request: Revocation,
  address: string | undefined,
): Promise<ApplicationSecret | null> {
  const appId = request.app_id ?? request.client_id;
  const credentials = credentialsOf(appId, request.app_secret ?? request.client_secret);
  if (credentials === null) return null;
  return provenApplication(deps, credentials, { address: address ?? '', isKnown: false });
}

function ownerOf({ user_id, developer_id }: LiveFamily): string {
  return user_id === null ? `admin:${developer_id}` : `user:${user_id}`;
}

const notItsToken = () => new ServiceError('FORBIDDEN', 'This token was not issued to this application.');
const notAToken = () =>
  validationFailed([
    {
      field: 'token',
      message:
        'must be an access token or a refresh token; an API key is deleted by DELETE /api-keys/{key_id}',
    },
  ]);

type EmbedDeps = Pick<AuthDeps, 'config' | 'database' | 'tokens' | 'call' | 'origin' | 'meta'>;

/** A request for an embedded page. */
type EmbedRequest = ParamsOf<typeof auth, 'createEmbed'>;

/**
 * Creates the address of an embedded page. Its token is the only one of its family and is stored nowhere.
 * @throws FORBIDDEN (403), USER_NOT_FOUND (404)
 */
export async function createEmbed(
  { config, database, tokens, call, origin, meta }: EmbedDeps,
  { user_id, origins, expires_in_seconds }: EmbedRequest,
): Promise<{ url: string; expires_at: string }> {
  const maker = makerOf(meta);
  const familyId = randomUUID();
  const now = Math.floor(Date.now() / 1000);
  const seconds = await acting(database, origin, async (on) => {
    const lasts = await insertFamilyOfEmbed(on, { familyId, seconds: expires_in_seconds }, user_id, maker);
    if (lasts === null) throw wrongCredentials();
    const entry = { userId: user_id, subjectId: familyId, details: { origins } };
    await recordAudit(on, origin, { ...entry, action: 'embed.created' });
    return lasts;
  });
  const { time_zone: timeZone } = await keepUnlessGone({ database, call }, user_id, familyId);
  const grant = { subject: user_id, familyId, issuedBy: maker.issuedBy, origins, timeZone };
  const token = tokens.signEmbed(grant, seconds, now);
  const url = `${publicUrl(config, meta.gateway_url)}/console/embed/${token}`;
  return { url, expires_at: formatInstant((now + seconds) * 1000) };
}

function makerOf(meta: Meta): EmbedMaker {
  const { caller } = meta;
  if (caller?.kind === 'api-key')
    return { kind: caller.kind, id: caller.id, issuedBy: `api_key:${caller.id}` };
  const { developer_id: id } = callingDeveloper(meta);
  return { kind: 'developer', id, issuedBy: `admin:${id}` };
}

/** The origins whose pages may show an embedded page; null if the token is not of one, or has ended. */
export async function originsOfEmbed(
  { tokens, database }: { readonly tokens: TokenSigner; readonly database: Queryable },
  token: string,
): Promise<string[] | null> {
  const claims = tokens.verify(token);
  if (claims === null || claims.origins === null) return null;
  return (await findFamily(database, claims.family, null)) === null ? null : [...claims.origins];
}
