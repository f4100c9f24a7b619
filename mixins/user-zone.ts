import { isError } from '../domain/errors.ts';
import type { Call } from '../runtime/environment.ts';

/** The IANA name of a user's time zone. Null: it was never set, or there is no such user. */
export async function zoneOfUser(call: Call, userId: string): Promise<string | null> {
  try {
    return (await call('users.get', { user_id: userId })).time_zone;
  } catch (error) {
    if (isError(error, 'USER_NOT_FOUND')) return null;
    throw error;
  }
}
