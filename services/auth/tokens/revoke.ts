import { ServiceError, validationFailed } from '../../../domain/errors.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { wrongCredentials } from '../log-in/wrong-credentials.ts';
import { endFamily } from '../queries/end-families.ts';
import { familyOfId, familyOfRefreshToken, type LiveFamily } from '../queries/find-family.ts';
import { selectApplicationSecret } from '../queries/select-credentials.ts';
import { sameHash, sha256 } from './secrets.ts';
import type { TokenSigner } from './tokens.ts';

/** Dependencies of revoking. */
export interface Revoking {
  readonly database: Database;
  readonly tokens: TokenSigner;
  readonly origin: AuditOrigin;
}

/** A token to revoke, with the credentials of the application that requests it, if any. */
export interface Revocation {
  readonly token: string;
  readonly app_id?: string | undefined;
  readonly app_secret?: string | undefined;
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
}

/**
 * Ends the family of a token (RFC 7009). An unknown or expired token is no error.
 * @throws VALIDATION_FAILED (422) for an API key, UNAUTHENTICATED (401) for a wrong application, FORBIDDEN (403) for a
 * token that another application obtained
 */
export async function revoke(revoking: Revoking, request: Revocation): Promise<void> {
  const { database, tokens, origin } = revoking;
  if (request.token.startsWith('sk-')) throw notAToken();
  const application = await applicationOf(database, request);
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
async function applicationOf(database: Queryable, request: Revocation) {
  const appId = request.app_id ?? request.client_id;
  const secret = request.app_secret ?? request.client_secret;
  if (appId === undefined && secret === undefined) return null;
  const application = await selectApplicationSecret(database, appId ?? '');
  const matches = sameHash(sha256(secret ?? ''), application?.secretHash ?? sha256(''));
  if (application === null || !matches) throw wrongCredentials();
  return { id: application.id, appId };
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
