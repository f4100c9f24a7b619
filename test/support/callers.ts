import { randomUUID } from 'node:crypto';
import type { Caller } from '../../contracts/auth/schemas.ts';
import { defaultProject } from '../../domain/access.ts';

/** A caller of the default project with every permission of its kind. */
export function callerOf<K extends Caller['kind']>(
  kind: K,
  given: Partial<Omit<Caller, 'kind'>> = {},
): Caller & { readonly kind: K } {
  const role = kind === 'developer' ? ('owner' as const) : null;
  return {
    ...{ kind, id: randomUUID(), developer_id: null, user_id: null },
    ...{ project_id: defaultProject, role, scopes: null },
    ...given,
  };
}
