import type { Logger } from 'moleculer';
import type { Tokens } from '../../../contracts/auth/schemas.ts';
import { isError, ServiceError } from '../../../domain/errors.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Call, Meta } from '../../../runtime/environment.ts';
import { consumeRefreshToken } from '../queries/consume-refresh-token.ts';
import { endFamily, endReusedFamily } from '../queries/end-families.ts';
import { selectRefreshToken } from '../queries/select-refresh-token.ts';
import { lifetimesOf, type SessionDays } from './lifetimes.ts';
import { newRefreshToken, sha256 } from './secrets.ts';
import type { TokenSigner } from './tokens.ts';

/** Dependencies of refreshing. */
export interface Refreshing {
  readonly database: Database;
  readonly tokens: TokenSigner;
  readonly call: Call;
  readonly logger: Logger;
  readonly config: SessionDays;
  readonly origin: AuditOrigin;
  readonly meta: Meta;
}

/** Exchanges a refresh token for new tokens. @throws UNAUTHENTICATED (401) if it is unknown or used, or its user is deleted */
export async function refresh(refreshing: Refreshing, refreshToken: string): Promise<Tokens> {
  const { database, tokens, config, meta } = refreshing;
  const hash = sha256(refreshToken);
  const held = await selectRefreshToken(database, hash);
  if (held === null) throw refreshRefused();
  const client = sha256(`${hash} ${meta.client ?? ''}`);
  const refuse = async () => {
    await endReused(refreshing, hash, client);
    return refreshRefused();
  };
  if (held.consumed) throw await refuse();
  // The user is looked up before the token is consumed: if the users service is unavailable, the token stays valid.
  if (held.user_id !== null) await requireUser(refreshing, held.user_id, held.family_id);
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
  { database, origin, logger }: Refreshing,
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
  { call, database }: Pick<Refreshing, 'call' | 'database'>,
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
