import { isError } from '../../domain/errors.ts';
import { isProviderName } from '../../providers/all.ts';
import type { Call } from '../../runtime/environment.ts';

/** The scope that a user granted. Null: the connection is gone. */
export async function readScope(
  call: Call,
  user_id: string,
  provider: string,
): Promise<readonly string[] | null> {
  if (!isProviderName(provider)) return [];
  try {
    const { scope, status } = await call('users.connection', { user_id, provider });
    return status === 'revoked' ? null : scope;
  } catch (error) {
    if (isError(error, 'USER_NOT_FOUND') || isError(error, 'CONNECTION_NOT_FOUND')) return null;
    throw error;
  }
}
