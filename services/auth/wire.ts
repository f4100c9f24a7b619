import type * as wire from '../../contracts/auth/schemas.ts';
import { formatInstant } from '../../domain/time/time.ts';
import type { ApiKeyRow } from './queries/change-keys.ts';
import type { ShownApplication, ShownDeveloper } from './queries/select-listed.ts';

/** The wire format of a developer's row. */
export function toDeveloper({ id, email, createdAt, isOwner, confirmedAt }: ShownDeveloper): wire.Developer {
  return {
    id,
    email,
    created_at: formatInstant(createdAt.getTime()),
    is_owner: isOwner,
    is_confirmed: isOwner || (confirmedAt ?? null) !== null,
  };
}

/** The wire format of a key's row, without the key itself. */
export function toApiKey(row: ApiKeyRow): wire.ApiKey {
  return {
    id: row.id,
    name: row.name,
    created_by: row.created_by,
    created_at: formatInstant(row.created_at.getTime()),
    last_used_at: timeOf(row.last_used_at),
    former_ids: row.former_ids,
    scopes: row.scopes,
    expires_at: timeOf(row.expires_at),
    addresses: row.addresses,
  };
}

const timeOf = (at: Date | null) => (at === null ? null : formatInstant(at.getTime()));

/** The wire format of an application's row, without its secret. */
export function toApplication({ id, appId, name, createdAt }: ShownApplication): wire.Application {
  return { id, app_id: appId, name, created_at: formatInstant(createdAt.getTime()) };
}
