import { randomUUID } from 'node:crypto';
import type { Config } from '../../../config.ts';
import type { users } from '../../../contracts/users.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { ServiceError, userNotFound } from '../../../domain/errors.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Call } from '../../../runtime/environment.ts';
import { chosenRegion } from '../../../runtime/provider-settings.ts';
import { insertFormerAccount } from '../tables/accounts.ts';
import {
  type ConnectionState,
  isHeldByAnother,
  type NewConnection,
  selectConnectionState,
  upsertConnection,
} from '../tables/connections.ts';
import type { Connection } from '../tables/entities.ts';
import { selectClientOfUser } from '../tables/provider-clients.ts';
import { cancelTokenRevocations, enqueueTokenRevocations } from '../tables/token-revocations.ts';
import { lockUser } from '../tables/users.ts';
import { reopen } from '../work/erasure.ts';

/** An imported link that already exists at the provider; its tokens are plain text. */
type ImportedLink = ParamsOf<typeof users, 'connect'>;

/** A link that the user has just consented to; its tokens are ciphertext bound to the connection's id. */
type ConsentedLink = ParamsOf<typeof users, 'link'>;

/** What is written of a link: the account, and whether one that is connected to another user is refused. */
type Account = Pick<ConsentedLink, 'user_id' | 'provider' | 'provider_user_id' | 'scope'> & {
  readonly exclusive?: boolean;
};

interface Linking {
  readonly database: Database;
  readonly call: Call;
  readonly origin: AuditOrigin;
}

/**
 * Creates a connection, or reactivates a revoked or expired one under its id. Its tokens belong to the client that the project
 * has now. @throws USER_NOT_FOUND (404), CONNECTION_EXISTS (409) when it is active
 */
export async function importLink(
  linking: Linking & { readonly config: Config },
  cipher: Cipher,
  link: ImportedLink,
): Promise<Connection> {
  const client = await selectClientOfUser(linking.database, link.user_id, link.provider);
  const region = chosenRegion(linking.config, link.provider, link.region, client !== null);
  return write(linking, link, (former) => {
    if (former?.status === 'active') throw new ServiceError('CONNECTION_EXISTS');
    const id = former?.id ?? randomUUID();
    const sealed = (token: string | undefined) => (token === undefined ? null : cipher.encrypt(token, id));
    return {
      id,
      accessToken: sealed(link.access_token),
      refreshToken: sealed(link.refresh_token),
      expiresAt: link.expires_at === undefined ? null : new Date(link.expires_at.ms),
      providerClientId: client?.id ?? null,
      region,
    };
  });
}

/**
 * Creates, reactivates or updates a connection after the user's consent.
 * @throws USER_NOT_FOUND (404), CONNECTION_EXISTS (409) when the user has a connection of another id: the tokens
 * cannot be decrypted under that id. ACCOUNT_TAKEN (409) with `exclusive`
 */
export function consentLink(linking: Linking, link: ConsentedLink): Promise<Connection> {
  return write(linking, link, (former) => {
    if (former !== null && former.id !== link.connection_id) throw new ServiceError('CONNECTION_EXISTS');
    return {
      id: link.connection_id,
      accessToken: link.access_token,
      refreshToken: link.refresh_token,
      expiresAt: link.expires_at === null ? null : new Date(link.expires_at.ms),
      providerClientId: link.provider_client_id,
      region: link.region,
    };
  });
}

type Sealed = Omit<NewConnection, 'userId' | 'provider' | 'providerUserId' | 'scope'>;
const mostTries = 4;

// After a purge, ingestion is allowed again before the connection becomes visible. If a disconnect purges the data in
// between, the sequence is repeated.
async function write(
  linking: Linking,
  account: Account,
  make: (former: ConnectionState | null) => Sealed,
): Promise<Connection> {
  const { database, call, origin } = linking;
  const { user_id, provider } = account;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const seen = await selectConnectionState(database, user_id, provider);
    if (seen !== null && seen.purge !== null)
      await reopen(call, { user_id, provider, version: seen.version });
    const written = await database.transaction((transaction) =>
      link(transaction, origin, account, seen, make),
    );
    if (written !== null) return written;
  }
  throw new ServiceError('SERVICE_UNAVAILABLE');
}

async function link(
  transaction: Queryable,
  origin: AuditOrigin,
  account: Account,
  seen: ConnectionState | null,
  make: (former: ConnectionState | null) => Sealed,
): Promise<Connection | null> {
  const { user_id, provider, provider_user_id, scope } = account;
  // The lock serialises the connects and the deletion of one user.
  if (!(await lockUser(transaction, user_id))) throw userNotFound(user_id);
  if (account.exclusive === true && (await isHeldByAnother(transaction, account)))
    throw new ServiceError('ACCOUNT_TAKEN');
  const former = await selectConnectionState(transaction, user_id, provider);
  const sealed = make(former);
  if (former !== null && former.purge !== null && former.version !== seen?.version) return null;
  // Another account or client replaces the connected one: the access of the former one ends.
  const isOther =
    former !== null && (former.providerUserId !== provider_user_id || former.region !== sealed.region);
  if (isOther || (former !== null && former.providerClientId !== sealed.providerClientId))
    await enqueueTokenRevocations(transaction, user_id, provider);
  if (isOther) await insertFormerAccount(transaction, user_id, former.id);
  await cancelTokenRevocations(transaction, {
    provider,
    provider_user_id,
    region: sealed.region,
    client: sealed.providerClientId,
  });
  const connection = await upsertConnection(transaction, {
    ...sealed,
    userId: user_id,
    provider,
    providerUserId: provider_user_id,
    scope: [...new Set(scope)],
  });
  await recordAudit(transaction, origin, {
    action: isRenewal(former, account, sealed) ? 'connection.changed' : 'connection.created',
    userId: user_id,
    subjectId: connection.id,
    details: { provider, fields: ['tokens', 'scope'] },
  });
  return connection;
}

// Whether the user consented again to an account that is already connected with the same client.
function isRenewal(
  former: ConnectionState | null,
  { provider_user_id }: Account,
  { providerClientId, region }: Sealed,
): boolean {
  const isSame = former?.providerUserId === provider_user_id && former.region === region;
  return isSame && former.providerClientId === providerClientId && former.status === 'active';
}
