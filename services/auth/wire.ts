import type * as wire from '../../contracts/auth/schemas.ts';
import { formatInstant } from '../../domain/time/time.ts';
import type { ApiKey, Application, Developer } from './auth.entities.ts';

/** The wire format of a developer's row. */
export function toDeveloper({ id, email, createdAt }: Omit<Developer, 'password'>): wire.Developer {
  return { id, email, created_at: formatInstant(createdAt.getTime()) };
}

/** The wire format of a key's row, without the key itself. */
export function toApiKey(
  { id, name, createdBy, createdAt, lastUsedAt }: Omit<ApiKey, 'hash'>,
  formerIds: readonly string[] = [],
): wire.ApiKey {
  return {
    id,
    name,
    created_by: createdBy,
    created_at: formatInstant(createdAt.getTime()),
    last_used_at: lastUsedAt ? formatInstant(lastUsedAt.getTime()) : null,
    former_ids: [...formerIds],
  };
}

/** The wire format of an application's row, without its secret. */
export function toApplication({
  id,
  appId,
  name,
  createdAt,
}: Omit<Application, 'secretHash'>): wire.Application {
  return { id, app_id: appId, name, created_at: formatInstant(createdAt.getTime()) };
}
