import type { StoredTokens } from '../../../contracts/users.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { formatInstant, instantOrNull } from '../../../domain/time/time.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';
import { selectTokens } from '../queries/select-tokens.ts';
import { selectUser } from '../queries/select-user.ts';

/** A connection's tokens, as ciphertext. @throws USER_NOT_FOUND (404), CONNECTION_NOT_FOUND (404) */
export async function findTokens(
  { database }: { readonly database: Database },
  userId: string,
  provider: ProviderName,
): Promise<StoredTokens> {
  const row = await selectTokens(database, userId, provider);
  if (row === null) {
    await selectUser(database, userId);
    throw new ServiceError('CONNECTION_NOT_FOUND');
  }
  return {
    ...row,
    connected_at: formatInstant(row.connected_at.getTime()),
    expires_at: instantOrNull(row.expires_at),
  };
}
