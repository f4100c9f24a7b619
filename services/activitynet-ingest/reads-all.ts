import { isError } from '../../domain/errors.ts';
import type { Fetching } from './fetched.ts';

/** The scope without which the provider neither lists nor returns private activities. */
const allActivities = 'activity:read_all';

/** A connection that may read private activities. */
export interface ReadingAll {
  readonly connection_id: string;
  readonly connectedMs: number;
}

/**
 * The connection of a user if it is active and may read private activities. Null otherwise: activities that it does not
 * find may exist.
 */
export async function readsAll(
  { call }: Pick<Fetching, 'call'>,
  user_id: string,
): Promise<ReadingAll | null> {
  const whose = { user_id, provider: 'activitynet' as const };
  try {
    const { status, scope } = await call('users.connection', whose);
    if (status !== 'active' || !scope.includes(allActivities)) return null;
    const { connection_id, connected_at } = await call('users.tokens', whose);
    return { connection_id, connectedMs: Date.parse(connected_at) };
  } catch (error) {
    if (isError(error, 'USER_NOT_FOUND') || isError(error, 'CONNECTION_NOT_FOUND')) return null;
    throw error;
  }
}
