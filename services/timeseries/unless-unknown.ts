import type { Call } from '../../runtime/environment.ts';

/**
 * A page of a user. Whether the user exists is checked only if there is nothing to return, because users belong to another
 * service. @throws USER_NOT_FOUND (404)
 */
export async function unlessUnknown<T extends { data: readonly unknown[] }>(
  page: T,
  call: Call,
  userId: string,
): Promise<T> {
  if (page.data.length === 0) await call('users.get', { user_id: userId });
  return page;
}
