import { isTimeZone } from '../../domain/time/zone.ts';
import { zoneOfUser } from '../../mixins/user-zone.ts';
import { timeZoneHeader } from '../../providers/phone/provider.ts';
import type { Call } from '../../runtime/environment.ts';

/** The zone of items that name neither an offset nor a zone: that of the upload's header, otherwise the user's. */
export async function zoneOfUpload(
  call: Call,
  userId: string,
  headers: Readonly<Record<string, string>>,
): Promise<string | null> {
  const sent = headers[timeZoneHeader];
  return sent !== undefined && isTimeZone(sent) ? sent : zoneOfUser(call, userId);
}
