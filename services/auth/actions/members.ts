import type * as wire from '../../../contracts/auth/projects.ts';
import type { RemovedMember } from '../../../contracts/auth/projects.ts';
import type { Role } from '../../../domain/access.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import { acting } from '../tables/acting.ts';
import { selectOwnership } from '../tables/developers.ts';
import { deleteMember, type MemberRow, upsertMember } from '../tables/projects.ts';
import type { CallDeps, ChangeDeps } from '../work/deps.ts';
import { endCredentialsOf, endKey } from '../work/end-key.ts';

/** Gives an account a role. @throws DEVELOPER_NOT_FOUND (404), ADDRESS_NOT_CONFIRMED (409), OWNER_NEEDS_NO_ROLE (409) */
export async function addMember(
  { database, origin }: ChangeDeps,
  project: string,
  member: { readonly email: string; readonly role: Role },
): Promise<wire.Member> {
  const row = await acting(database, origin, (on) => upsertMember(on, project, member));
  if (row !== null) return toMember(row);
  const account = await selectOwnership(database, member.email);
  if (account === undefined) throw new ServiceError('DEVELOPER_NOT_FOUND');
  throw new ServiceError(account.is_owner ? 'OWNER_NEEDS_NO_ROLE' : 'ADDRESS_NOT_CONFIRMED');
}

/** The wire format of a member's row. */
export function toMember({ created_at, ...row }: MemberRow): wire.Member {
  return {
    developer_id: row.developer_id,
    email: row.email,
    is_confirmed: row.is_confirmed,
    role: row.role,
    created_at: formatInstant(created_at.getTime()),
  };
}

/** Removes a member: the next request of the developer is refused. @throws MEMBER_NOT_FOUND (404), API_KEY_NOT_FOUND (404) */
export async function removeMember(
  { database, call, origin }: CallDeps & ChangeDeps,
  project: string,
  {
    developer_id: developerId,
    keep_keys,
  }: { readonly developer_id: string; readonly keep_keys: readonly string[] },
): Promise<RemovedMember> {
  const { member, keys } = await acting(database, origin, async (on) => {
    const row = await deleteMember(on, project, developerId);
    if (row === null) throw new ServiceError('MEMBER_NOT_FOUND');
    return {
      member: toMember(row),
      keys: await endCredentialsOf(on, origin, { project, developerId }, keep_keys),
    };
  });
  const api_keys: RemovedMember['api_keys'] = [];
  for (const { key, job } of keys) {
    const webhook_endpoints = job === null ? null : await endKey({ database, call }, job).catch(() => null);
    api_keys.push({ id: key.id, name: key.name, is_kept: job === null, webhook_endpoints });
  }
  return { ...member, api_keys };
}
