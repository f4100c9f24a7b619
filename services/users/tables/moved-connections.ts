import type { Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** A connection that a move finds here. */
export interface FoundConnection {
  readonly id: string;
  readonly user_id: string;
  readonly provider: string;
  readonly provider_user_id: string;
  readonly region: string | null;
  readonly expires_at: Date | null;
  readonly provider_client_id: string | null;
  /** Whether it was moved, has had no tokens but those of the move, and no process refreshes them. */
  readonly is_as_moved: boolean;
  /** What the other installation had at the last move, as a SHA-256 in hex. */
  readonly moved_hash: string | null;
}

/**
 * The connections of users that a move names, and those that have one of its ids, locked until the transaction ends. The users' rows are
 * locked before. The order is that of `touchConnections`.
 */
export function selectFound(
  transaction: Queryable,
  userIds: readonly string[],
  ids: readonly string[],
): Promise<FoundConnection[]> {
  return transaction.query<FoundConnection>(
    `select id, user_id, provider, provider_user_id, region, expires_at, provider_client_id, encode(moved_hash, 'hex') as moved_hash,
       coalesce(moved_version = token_version, false)
         and (refresh_leased_until is null or refresh_leased_until <= clock_timestamp()) as is_as_moved
     from users.connection where user_id = any($1::uuid[]) or id = any($2::uuid[]) order by id for no key update`,
    [userIds, ids],
  );
}

/** A connection as a move writes it. Tokens are ciphertext, times are ISO 8601. */
export interface MovedConnectionRow {
  readonly id: string;
  readonly user_id: string;
  readonly provider: ProviderName;
  readonly provider_user_id: string;
  readonly region: string | null;
  readonly status: 'active' | 'revoked' | 'expired';
  readonly status_reason: string | null;
  readonly scope: readonly string[];
  readonly access_token: string | null;
  readonly refresh_token: string | null;
  readonly expires_at: string | null;
  readonly provider_client_id: string | null;
  readonly created_at: string;
  readonly last_synced_at: string | null;
  /** In hex. */
  readonly moved_hash: string;
}

const moved = `
jsonb_to_recordset($1::jsonb) as moved (id uuid, user_id uuid, provider text, provider_user_id text, region text, status text,
  status_reason text, scope text[], access_token text, refresh_token text, expires_at timestamptz, provider_client_id uuid,
  created_at timestamptz, last_synced_at timestamptz, moved_hash text)`;

// `connected_at` is the time of the move: what arrived before it was for the other installation, and what is to be read begins there.
const inserted = `
insert into users.connection (id, user_id, provider, provider_user_id, region, status, status_reason, scope, access_token, refresh_token,
  expires_at, provider_client_id, created_at, last_synced_at, updated_at, connected_at, moved_version, moved_hash)
select id, user_id, provider, provider_user_id, region, status, status_reason, scope, access_token, refresh_token, expires_at,
  provider_client_id, created_at, last_synced_at, clock_timestamp(), clock_timestamp(), 0, decode(moved_hash, 'hex')
from ${moved} order by id
on conflict do nothing returning id`;

/** Inserts moved connections. Returns the ids of the inserted ones: another transaction may have taken an id meanwhile. */
export async function insertMoved(
  transaction: Queryable,
  rows: readonly MovedConnectionRow[],
): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const written = await transaction.query<{ id: string }>(inserted, [JSON.stringify(rows)]);
  return new Set(written.map(({ id }) => id));
}

// A scope that the user changed here is kept.
const replaced = `
update users.connection c set provider_user_id = moved.provider_user_id, region = moved.region, status = moved.status,
  status_reason = moved.status_reason, scope = case when c.scope_changed_at is null then moved.scope else c.scope end,
  access_token = moved.access_token, refresh_token = moved.refresh_token, previous_refresh_token = null,
  expires_at = moved.expires_at, provider_client_id = moved.provider_client_id, updated_at = clock_timestamp(),
  connected_at = case when c.status = 'active' and c.provider_user_id = moved.provider_user_id
    and c.region is not distinct from moved.region
    and c.provider_client_id is not distinct from moved.provider_client_id then c.connected_at else clock_timestamp() end,
  token_version = c.token_version + 1, moved_version = c.token_version + 1, moved_hash = decode(moved.moved_hash, 'hex'),
  refresh_leased_until = null, refresh_failing_since = null
from ${moved} where c.id = moved.id`;

/** Replaces connections that are as they were moved. */
export async function replaceMoved(
  transaction: Queryable,
  rows: readonly MovedConnectionRow[],
): Promise<void> {
  if (rows.length > 0) await transaction.query(replaced, [JSON.stringify(rows)]);
}
