import type { users } from '../../../contracts/users.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { userNotFound } from '../../../domain/errors.ts';
import { recordAudit, recordAudits } from '../../../mixins/database/audit.ts';
import {
  type Database,
  firstRow,
  type Queryable,
  type Statement,
} from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Connection } from './entities.ts';

/** A connection as it is shown. */
export type ShownConnection = Omit<Connection, 'refreshToken' | 'connectedAt'>;

const connectionsOfUser: Statement = {
  name: 'users-select-connections',
  shared: true,
  text: `
    select c.id, c.user_id as "userId", c.provider, c.provider_user_id as "providerUserId", c.region, c.status, c.scope,
      c.access_token as "accessToken", c.expires_at as "expiresAt", c.created_at as "createdAt",
      c.updated_at as "updatedAt", c.last_synced_at as "lastSyncedAt", c.privacy
    from users.person p left join users.connection c on c.user_id = p.id
    where p.id = $1 and p.deleted_at is null order by c.provider`,
};

/** A user's connections by provider, including revoked ones. @throws USER_NOT_FOUND (404) */
export async function selectConnections(database: Queryable, userId: string): Promise<ShownConnection[]> {
  const rows = await database.query<ShownConnection & { id: string | null }>(connectionsOfUser, [userId]);
  if (rows.length === 0) throw userNotFound(userId);
  return rows.filter(({ id }) => id !== null);
}

/** The state of a user's connection: `version` changes with its tokens, `purge` is set once its data is to be purged. */
export type ConnectionState = Pick<Connection, 'id' | 'status' | 'providerUserId'> & {
  readonly version: number;
  readonly purge: 'wanted' | 'told' | null;
  readonly reason: string | null;
  readonly providerClientId: string | null;
  readonly region: string | null;
};

/** The state of a user's connection to a provider; null if there is none. */
export async function selectConnectionState(
  database: Queryable,
  userId: string,
  provider: ProviderName,
): Promise<ConnectionState | null> {
  const statement = `
    select id, status, provider_user_id as "providerUserId", token_version as version, purge, status_reason as reason,
      provider_client_id as "providerClientId", region
    from users.connection where user_id = $1 and provider = $2`;
  return (await firstRow<ConnectionState>(database, statement, [userId, provider])) ?? null;
}

/** An active connection of a provider account. */
export interface ActiveConnectionRow {
  connection_id: string;
  user_id: string;
  provider_user_id: string;
  connected_at: Date;
}

const activeOfAccounts: Statement = {
  name: 'users.select_active_connections',
  text: `
select id as connection_id, user_id, provider_user_id, connected_at from users.connection
where provider = $1 and provider_user_id = any($2) and status = 'active'
order by provider_user_id, connected_at, id`,
};

/** The active connections of provider accounts; several users may share an account. */
export function selectActiveConnections(
  database: Queryable,
  provider: ProviderName,
  providerUserIds: readonly string[],
): Promise<ActiveConnectionRow[]> {
  return database.query<ActiveConnectionRow>(activeOfAccounts, [provider, providerUserIds]);
}

const activePage: Statement = {
  name: 'users.select_active_page',
  text: `
select c.id as connection_id, c.user_id, c.provider_user_id, c.connected_at, p.project_id
from users.connection c join users.person p on p.id = c.user_id
where c.provider = $1 and c.status = 'active' and ($2::uuid is null or c.id > $2) order by c.id limit $3`,
};

/** An active connection with the project of its user. */
interface ListedConnectionRow extends ActiveConnectionRow {
  project_id: string;
}

/** The active connections of a provider with an id above `after`, in the order of their ids. */
export function selectActivePage(
  database: Queryable,
  provider: ProviderName,
  after: string | null,
  limit: number,
): Promise<ListedConnectionRow[]> {
  return database.query<ListedConnectionRow>(activePage, [provider, after, limit]);
}

// Of two users who connect the same account at once, the second one waits for the first transaction.
const accountLocked = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';
const connectedElsewhere = `
select 1 from users.connection
where provider = $1 and provider_user_id = $2 and user_id <> $3 and status = 'active' limit 1`;

/** Whether an account is connected to another user. The answer is true until the transaction ends. */
export async function isHeldByAnother(
  transaction: Queryable,
  {
    user_id,
    provider,
    provider_user_id,
  }: Pick<ParamsOf<typeof users, 'link'>, 'user_id' | 'provider' | 'provider_user_id'>,
): Promise<boolean> {
  await transaction.query(accountLocked, [`account ${provider} ${provider_user_id}`]);
  return (await transaction.query(connectedElsewhere, [provider, provider_user_id, user_id])).length > 0;
}

/** The values of a new or reactivated connection; the tokens are ciphertext. */
export type NewConnection = Pick<Connection, 'id' | 'userId' | 'provider' | 'providerUserId' | 'scope'> & {
  readonly accessToken: string | null;
  readonly refreshToken: string | null;
  readonly expiresAt: Date | null;
  /** The client that the tokens were issued to. Null: that of the installation. */
  readonly providerClientId: string | null;
  readonly region: string | null;
};

// connected_at, by the database's clock, separates deliveries before the link from those after it. A renewed consent to
// an active connection keeps it: otherwise the retry of an earlier delivery would skip the user. With another OAuth client it is a new connection:
// its subscriptions begin anew. An account of another region is another account, whatever its id.
const isSameAccount = `former.provider_user_id = excluded.provider_user_id and former.region is not distinct from excluded.region`;
const upserted = `
insert into users.connection as former (id, user_id, provider, provider_user_id, status, scope, access_token,
  refresh_token, expires_at, provider_client_id, region, created_at, updated_at, connected_at)
values ($1, $2, $3, $4, 'active', $5, $6, $7, $8, $9, $10, clock_timestamp(), clock_timestamp(), clock_timestamp())
on conflict (user_id, provider) do update set provider_user_id = excluded.provider_user_id, status = 'active',
  scope = excluded.scope, access_token = excluded.access_token, refresh_token = excluded.refresh_token,
  previous_refresh_token = null, expires_at = excluded.expires_at,
  provider_client_id = excluded.provider_client_id, region = excluded.region, updated_at = excluded.updated_at,
  connected_at = case when ${isSameAccount}
      and former.provider_client_id is not distinct from excluded.provider_client_id
      and former.status = 'active'
    then former.connected_at else excluded.connected_at end,
  scope_changed_at = case when ${isSameAccount} then former.scope_changed_at end,
  privacy = case when ${isSameAccount} then former.privacy end,
  privacy_changed_at = case when ${isSameAccount} then former.privacy_changed_at end,
  token_version = former.token_version + 1, refresh_leased_until = null, status_reason = null,
  refresh_failing_since = null, purge = null
returning id, user_id as "userId", provider, provider_user_id as "providerUserId", region, status, scope,
  access_token as "accessToken", refresh_token as "refreshToken", expires_at as "expiresAt",
  created_at as "createdAt", updated_at as "updatedAt", connected_at as "connectedAt",
  last_synced_at as "lastSyncedAt", privacy`;

/** Inserts the connection or overwrites the existing one. */
export async function upsertConnection(
  transaction: Queryable,
  connection: NewConnection,
): Promise<Connection> {
  const values = [
    connection.id,
    connection.userId,
    connection.provider,
    connection.providerUserId,
    connection.scope,
    connection.accessToken,
    connection.refreshToken,
    connection.expiresAt,
    connection.providerClientId,
    connection.region,
  ];
  const [row] = await transaction.query<Connection>(upserted, values);
  if (row === undefined) throw new Error('the connection was not written');
  return row;
}

const revoked = `
update users.connection set status = 'revoked', access_token = null, refresh_token = null, previous_refresh_token = null, expires_at = null,
  token_version = token_version + 1, refresh_leased_until = null, status_reason = null, updated_at = clock_timestamp()`;

/** Revokes one connection of a user and erases its tokens. Returns its id; null if there was nothing to revoke. */
export async function revokeConnection(
  database: Queryable,
  userId: string,
  provider: ProviderName,
): Promise<string | null> {
  const statement = `${revoked} where user_id = $1 and provider = $2 and status <> 'revoked' returning id`;
  const [row] = await database.query<{ id: string }>(statement, [userId, provider]);
  return row?.id ?? null;
}

/** Revokes all connections of a user and erases their tokens. */
export async function revokeConnections(database: Queryable, userId: string): Promise<void> {
  await database.query(`${revoked} where user_id = $1`, [userId]);
}

/** Revokes an active connection and erases its tokens. Returns its provider; null if it is not active. */
export async function revokeActive(database: Queryable, connectionId: string): Promise<ProviderName | null> {
  const statement = `${revoked} where id = $1 and status = 'active' returning provider`;
  const [row] = await database.query<{ provider: ProviderName }>(statement, [connectionId]);
  return row?.provider ?? null;
}

// The rows are locked in one order, so that two deliveries for the same users cannot deadlock.
const touched = `
with locked as (select id from users.connection where id = any($1::uuid[]) order by id for no key update)
update users.connection c set last_synced_at = clock_timestamp() from locked where c.id = locked.id returning c.id`;

/** Sets `last_synced_at` of connections to now; returns the number of rows. */
export async function touchConnections(database: Queryable, ids: readonly string[]): Promise<number> {
  return (await database.query(touched, [ids])).length;
}

const privacyAdded = `
update users.connection
set privacy = coalesce(privacy, '{}') || $2::jsonb, updated_at = clock_timestamp(),
  privacy_changed_at = to_timestamp($3::float8 / 1000)
where id = $1 and status = 'active'
  and (privacy_changed_at is null or privacy_changed_at <= to_timestamp($3::float8 / 1000))
returning id, user_id`;

/** Adds privacy settings to an active connection, unless a newer change is stored. */
export function updatePrivacy(
  database: Database,
  origin: AuditOrigin,
  change: ParamsOf<typeof users, 'changePrivacy'>,
): Promise<boolean> {
  const values = [change.connection_id, JSON.stringify(change.privacy), change.changed_ms];
  return database.transaction(async (transaction) => {
    const [row] = await transaction.query<{ id: string; user_id: string }>(privacyAdded, values);
    if (row === undefined) return false;
    const entry = { userId: row.user_id, subjectId: row.id, details: { fields: ['privacy'] } };
    await recordAudit(transaction, origin, { ...entry, action: 'connection.changed' });
    return true;
  });
}

// Of several changes of one connection the newest is applied; of changes with equal times, the last in the list. The rows
// are locked in one order, as in `touchConnections`.
const scopesSet: Statement = {
  name: 'users.update_scopes',
  text: `
with reported as (
  select distinct on (connection_id) connection_id, scope,
    timestamptz 'epoch' + changed_ms * interval '1 ms' as changed_at
  from jsonb_to_recordset($1::jsonb) as t (connection_id uuid, scope text[], changed_ms float8, position int)
  order by connection_id, changed_ms desc, position desc
), locked as (
  select id from users.connection where id in (select connection_id from reported) order by id for no key update
)
update users.connection c
set scope = reported.scope, scope_changed_at = reported.changed_at, updated_at = clock_timestamp()
from reported, locked
where c.id = locked.id and c.id = reported.connection_id and c.status = 'active' and (
  c.scope_changed_at is null or c.scope_changed_at < reported.changed_at
  or (c.scope_changed_at = reported.changed_at and c.scope <> reported.scope))
returning c.id, c.user_id`,
};

/** Sets the scopes of active connections unless a newer change is stored; returns the number of changed rows. */
export function updateScopes(
  database: Database,
  origin: AuditOrigin,
  changes: ParamsOf<typeof users, 'changeScopes'>['changes'],
): Promise<number> {
  const rows = changes.map((change, position) => ({ ...change, position }));
  return database.transaction(async (transaction) => {
    const values = [JSON.stringify(rows)];
    const changed = await transaction.query<{ id: string; user_id: string }>(scopesSet, values);
    const entry = { action: 'connection.changed', details: { fields: ['scope'] } } as const;
    const entries = changed.map(({ id, user_id }) => ({ ...entry, userId: user_id, subjectId: id }));
    await recordAudits(transaction, origin, entries);
    return changed.length;
  });
}
