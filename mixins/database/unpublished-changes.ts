import type { Environment } from '../../runtime/environment.ts';
import { metricsOf } from '../../runtime/telemetry/metrics.ts';
import { type JobHandler, recurringHandler, workInParts } from '../jobs/jobs.ts';
import type { Database, Queryable } from './database.ts';

/*
 * Every owner of data records changes, and only the service `webhooks` publishes them. While it does not run they would
 * grow without a limit. A service that always runs deletes those that are older than the change log keeps published ones.
 */

const rowsPerPart = 5000;

// A reader that continues after the last published change would miss the deleted ones: an id is skipped, so that every
// earlier cursor is expired.
const statement = `
  with deleted as (
    delete from changes.pending where (user_id, kind, object) in (
      select user_id, kind, object from changes.pending where due_at < now() - $1 * interval '1 day'
      order by due_at limit ${rowsPerPart} for update skip locked)
    returning 1
  ),
  skipped as (
    update changes.expired set last_id = nextval(pg_get_serial_sequence('changes.change', 'id'))
    where exists (select from deleted)
  )
  select count(*)::int as n from deleted`;

/** Deletes one part of the changes that were not published for some days. Returns their number. */
export function deleteUnpublished(database: Database, days: number): Promise<number> {
  return database.transaction(async (transaction) => {
    await transaction.query('select changes.lock_publishing(true)');
    const [row] = await transaction.query<{ n: number }>(statement, [days]);
    return row?.n ?? 0;
  });
}

const retention = { name: 'users.unpublished_changes', everyMs: 3_600_000, firstAfterMs: 60_000 };

/** The recurring job that deletes them. */
export function unpublishedHandler(
  database: Database,
  { config, logger }: Pick<Environment, 'config' | 'logger'>,
): JobHandler {
  const part = async () => {
    const deleted = await deleteUnpublished(database, config.CHANGE_RETENTION_DAYS);
    if (deleted > 0) logger.warn('changes.unpublished_deleted', { deleted });
    return deleted === rowsPerPart;
  };
  return recurringHandler(retention, (held) => workInParts(part, held));
}

/** Since when the oldest change that is due waits for its publication, in seconds. */
async function oldestDueSeconds(database: Queryable): Promise<number> {
  const [row] = await database.query<{ seconds: number }>({
    name: 'changes.oldest_due',
    text: `
      select greatest(0, extract(epoch from now() - due_at))::float8 as seconds
      from changes.pending where due_at is not null order by due_at limit 1`,
  });
  return row?.seconds ?? 0;
}

/** Reports the age of the oldest change that waits. Returns the function that ends it. */
export function reportUnpublished(database: Queryable, { broker }: Pick<Environment, 'broker'>): () => void {
  const metrics = metricsOf(broker);
  return metrics.onScrape(async () =>
    metrics.set('pulsebus_changes_oldest_seconds', {}, await oldestDueSeconds(database)),
  );
}
