import { isError } from '../../domain/errors.ts';
import type { Call } from '../../mixins/environment.ts';
import { providerUserIdOf } from './entries.ts';
import { findRecipients, type Recipients } from './recipients.ts';

/** What `deregistrations` answers. */
export interface Deregistered {
  readonly revoked: number;
  readonly errors: string[];
}

/** Revokes the connections of accounts that left; an unknown one is reported and is no failure. */
export async function deregister(
  call: Call,
  items: readonly unknown[],
  connectedBy: number | null,
): Promise<Deregistered> {
  const ids = items.map(providerUserIdOf);
  const recipients = await findRecipients(
    call,
    ids.filter((id) => id !== null),
    connectedBy,
  );
  let revoked = 0;
  for (const found of recipients.values())
    for (const { user_id } of found) revoked += (await revoke(call, user_id)) ? 1 : 0;
  return { revoked, errors: ids.flatMap((id, index) => problemOf(id, index, recipients)) };
}

async function revoke(call: Call, user_id: string): Promise<boolean> {
  try {
    await call('users.disconnect', { user_id, provider: 'devicemaker' });
    return true;
  } catch (error) {
    if (isError(error, 'CONNECTION_NOT_FOUND') || isError(error, 'USER_NOT_FOUND')) return false;
    throw error;
  }
}

function problemOf(id: string | null, index: number, recipients: Recipients): string[] {
  if (id === null) return [`deregistrations[${index}]: userId: must be a text`];
  return recipients.has(id) ? [] : [`deregistrations[${index}]: no user is connected to this userId`];
}
