import { z } from 'zod';
import type { Database } from '../../mixins/database/database.ts';
import type { Lease } from '../../mixins/inbox/delivery.ts';
import { arrivalOf, findLinkedUsers, type LinkedUser } from '../../mixins/inbox/linked-users.ts';
import { phone } from '../../providers/phone/provider.ts';
import type { Call } from '../../runtime/environment.ts';
import { behindFence, type FencedWrite } from './fence.ts';

/** The user of an upload, and how rows of the user are written. */
export interface ConnectedUser extends LinkedUser {
  readonly write: FencedWrite;
}

/** The user whom a delivery was uploaded for, if the connection is active. The gateway checked the credential. */
export async function connectedUser(
  lease: Lease,
  { database, call }: { readonly database: Database; readonly call: Call },
): Promise<ConnectedUser | null> {
  const account = z.uuid().safeParse(lease.headers[phone.webhooks.body.accountHeader]).data;
  if (account === undefined) return null;
  const found = await behindFence(database, account, async () => {
    const linked = await findLinkedUsers(call, 'phone', [account], arrivalOf(lease));
    return linked.get(account)?.find(({ user_id }) => user_id === account) ?? null;
  });
  return found === null ? null : { ...found.allowed, write: found.write };
}
