import type { User } from '../../../../clients/typescript/src/index.ts';

/** The name of a user, otherwise the e-mail address, the external id, or the beginning of the id. */
export function userName({ id, first_name, last_name, email, external_user_id }: User): string {
  const name = [first_name, last_name].filter((part) => part !== null).join(' ');
  return name || email || external_user_id || `User ${id.slice(0, 8)}`;
}
