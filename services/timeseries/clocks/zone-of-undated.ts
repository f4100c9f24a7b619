import { zoneOfUser } from '../../../mixins/user-zone.ts';
import type { Call } from '../../../runtime/environment.ts';

/**
 * The time zone of a user, if data without an offset is to be stored; otherwise undefined. It is read before the transaction,
 * because users belong to another service.
 */
export async function zoneOfUndated(
  call: Call,
  userId: string,
  given: readonly { readonly zone_offset_minutes: number | null }[],
): Promise<string | null | undefined> {
  if (given.every(({ zone_offset_minutes }) => zone_offset_minutes !== null)) return undefined;
  return zoneOfUser(call, userId);
}
