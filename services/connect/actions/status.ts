import type { Backfill } from '../../../contracts/backfill.ts';
import type { ConnectionStatus } from '../../../contracts/connect.ts';
import { accessReasons } from '../../../domain/access-reasons.ts';
import { isError } from '../../../domain/errors.ts';
import type { ProviderName } from '../../../providers/all.ts';
import type { Call } from '../../../runtime/environment.ts';

/** The status of a connection, as shown to its user. @throws USER_NOT_FOUND, CONNECTION_NOT_FOUND (404) */
export async function statusOf(
  call: Call,
  user_id: string,
  provider: ProviderName,
): Promise<ConnectionStatus> {
  const { status_reason, ...connection } = await call('users.connection', { user_id, provider });
  const backfill = await backfillOf(call, user_id, provider);
  return {
    ...connection,
    last_error: sentenceOf(connection.status, status_reason) ?? problemOf(backfill),
    data_types: backfill?.types ?? [],
  };
}

async function backfillOf(call: Call, user_id: string, provider: ProviderName): Promise<Backfill | null> {
  try {
    return await call('backfill.status', { user_id, provider });
  } catch (error) {
    if (isError(error, 'BACKFILL_NOT_FOUND') || isError(error, 'NOT_IMPLEMENTED')) return null;
    throw error;
  }
}

function sentenceOf(status: ConnectionStatus['status'], reason: string | null): string | null {
  if (status === 'active' && reason === 'REFRESH_FAILED')
    return 'The provider has not renewed the access for an hour. The renewal is repeated.';
  if (status === 'active') return null;
  if (status === 'revoked') return 'The connection was ended by the user, the application or the provider.';
  if (reason === 'TOKEN_REFUSED' || reason === 'CLIENT_REMOVED') return accessReasons[reason];
  return 'The access to the provider has ended: the user has to connect again.';
}

function problemOf(backfill: Backfill | null): string | null {
  if (backfill === null || backfill.status === 'cancelled') return null;
  const failed = backfill.types.find((type) => type.status === 'failed');
  return (
    backfill.reason ?? (failed === undefined ? null : `${failed.type}: ${failed.reason ?? 'it failed.'}`)
  );
}
