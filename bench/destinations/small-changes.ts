import { seriesOf } from '../../domain/records/series.ts';
import type { Database } from '../../mixins/database/database.ts';
import { enqueueRun } from '../../services/destinations/actions/destinations.ts';
import { selectDestination } from '../../services/destinations/tables/destinations.ts';
import { until } from './copies.ts';

/** Inserts users with a series each, without changes. */
export async function insertSeries(database: Database, users: number): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query("set local changes.unrecorded = 'on'");
    await transaction.query(
      `with added as (insert into users.person (id) select gen_random_uuid() from generate_series(1, $1::int) returning id)
       insert into timeseries.series (user_id, type_id, provider, device) select id, $2, 'devicemaker', 'Band' from added`,
      [users, seriesOf('heart_rate').id],
    );
  });
  await database.query('analyze');
}

/** Adds a sample to each of these series, and waits until the changes are published. No destination runs meanwhile. */
export async function changeSeries(database: Database): Promise<void> {
  await database.query('update destinations.destination set paused = true');
  await database.query(
    `insert into timeseries.sample (series_id, zone_offset_minutes, ts, value)
     select id, 60, now(), 60 from timeseries.series where device = 'Band'`,
  );
  const pending = 'select from changes.pending where due_at is not null limit 1';
  await until(async () => (await database.query(pending)).length === 0);
}

/** Has a destination write all changes. Returns the seconds. */
export async function followChanges(database: Database, id: string): Promise<number> {
  const [last] = await database.query<{ id: string }>('select max(id)::text as id from changes.change');
  await database.transaction(async (transaction) => {
    await transaction.query('update destinations.destination set paused = id <> $1', [id]);
    await enqueueRun(transaction, id);
  });
  const began = performance.now();
  await until(
    async () => BigInt((await selectDestination(database, id))?.position ?? 0) >= BigInt(last?.id ?? 0),
  );
  return (performance.now() - began) / 1000;
}
