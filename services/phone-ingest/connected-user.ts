import type { Lease } from '../../mixins/delivery.ts';
import { arrivalOf, findLinkedUsers, type LinkedUser } from '../../mixins/linked-users.ts';
import { phone } from '../../providers/phone/provider.ts';
import type { Call } from '../../runtime/environment.ts';

/** The user whom a delivery was uploaded for, if the connection is active. The gateway checked the credential. */
export async function connectedUser(lease: Lease, call: Call): Promise<LinkedUser | null> {
  const account = lease.headers[phone.webhooks.body.accountHeader] ?? '';
  const arrival = { ...arrivalOf(lease), authenticated: true };
  const linked = await findLinkedUsers(call, 'phone', [account], arrival);
  return linked.get(account)?.find(({ user_id }) => user_id === account) ?? null;
}
