import type { Backfill } from '../../contracts/backfill.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Queryable } from '../../mixins/database/database.ts';
import type { ProviderName } from '../../providers/all.ts';
import type { Call } from '../../runtime/environment.ts';
import { selectRun } from './queries/select-run.ts';
import { toBackfill } from './wire.ts';

/** The id of a user's connection. @throws USER_NOT_FOUND (404), CONNECTION_NOT_FOUND (404) */
export async function connectionOf(call: Call, user_id: string, provider: ProviderName): Promise<string> {
  const connections = await call('users.connections', { user_id });
  const found = connections.find((connection) => connection.provider === provider);
  if (found === undefined) throw new ServiceError('CONNECTION_NOT_FOUND');
  return found.id;
}

/** The newest backfill of a connection. @throws BACKFILL_NOT_FOUND (404) when none was ever started */
export async function showBackfill(database: Queryable, connectionId: string): Promise<Backfill> {
  const found = await selectRun(database, connectionId);
  if (found === null) throw new ServiceError('BACKFILL_NOT_FOUND');
  return toBackfill(found);
}
