import type * as wire from '../../contracts/users.ts';
import { formatInstant, instantOrNull } from '../../domain/time/time.ts';
import type { ShownConnection } from './queries/select-connections.ts';
import type { UserRow } from './users.entities.ts';

/** The wire format of a user's row. */
export function toUser(row: Omit<UserRow, 'deletedAt'>): wire.User {
  return {
    id: row.id,
    created_at: formatInstant(row.createdAt.getTime()),
    first_name: row.firstName ?? null,
    last_name: row.lastName ?? null,
    email: row.email ?? null,
    external_user_id: row.externalUserId ?? null,
    time_zone: row.timeZone ?? null,
  };
}

/** The wire format of a connection's row, without the tokens. */
export function toConnection(row: ShownConnection): wire.Connection {
  return {
    id: row.id,
    user_id: row.userId,
    provider: row.provider,
    provider_user_id: row.providerUserId,
    status: row.status,
    scope: row.scope,
    created_at: formatInstant(row.createdAt.getTime()),
    updated_at: formatInstant(row.updatedAt.getTime()),
    last_synced_at: row.lastSyncedAt ? formatInstant(row.lastSyncedAt.getTime()) : null,
    access_expires_at: row.accessToken ? instantOrNull(row.expiresAt ?? null) : null,
    privacy: row.privacy ?? null,
  };
}
