import type { Environment } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import type { Entry } from './entries.ts';

const connectionsPerCall = 1000;

/** Records which connections received data. The time is informational: an error here does not fail the delivery. */
export async function noteSynced({ call, logger }: Environment, entries: readonly Entry[]): Promise<void> {
  const saved = entries.filter(({ status }) => status === 'saved');
  const ids = [...new Set(saved.flatMap(({ linkedUser }) => linkedUser?.connection_id ?? []))];
  for (let from = 0; from < ids.length; from += connectionsPerCall) {
    const connection_ids = ids.slice(from, from + connectionsPerCall);
    await call('users.synced', { connection_ids }).catch((error: unknown) =>
      logger.warn('ingest.sync_note_failed', { code: codeOf(error) }),
    );
  }
}
