import type * as wire from '../../contracts/auth.ts';
import { formatInstant } from '../../domain/time.ts';
import type { ApiKey, Application, Developer } from './auth.entities.ts';

/** A developer's row as the wire has it. */
export function toDeveloper({ id, email, createdAt }: Omit<Developer, 'password'>): wire.Developer {
  return { id, email, created_at: formatInstant(createdAt.getTime()) };
}

/** A key's row as the wire has it, without its value. */
export function toApiKey({ id, name, createdBy, createdAt, lastUsedAt }: Omit<ApiKey, 'hash'>): wire.ApiKey {
  return {
    id,
    name,
    created_by: createdBy,
    created_at: formatInstant(createdAt.getTime()),
    last_used_at: lastUsedAt ? formatInstant(lastUsedAt.getTime()) : null,
  };
}

/** An application's row as the wire has it, without its secret. */
export function toApplication({
  id,
  appId,
  name,
  createdAt,
}: Omit<Application, 'secretHash'>): wire.Application {
  return { id, app_id: appId, name, created_at: formatInstant(createdAt.getTime()) };
}
