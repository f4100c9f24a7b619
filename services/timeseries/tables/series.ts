import { longestDevice, readMethod, withMethod } from '../../../domain/records/recording-method.ts';
import { type SeriesType, seriesCatalogue, seriesOf } from '../../../domain/records/series.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { columnsOf } from './arrays.ts';
import { nightTypeIds } from './nights.ts';

/** A series: its type, provider and device. */
export interface SeriesRow {
  id: number;
  type_id: number;
  provider: string;
  device: string;
  /** A series of intervals; it has no samples. */
  is_interval: boolean;
}

const seriesStatement = {
  name: 'timeseries-select-series',
  text: `
    select id, type_id, provider, device, is_interval from timeseries.series
    where user_id = $1 and ($2::smallint[] is null or type_id = any($2))`,
};

/** A user's series of the given types, or all of them. */
export function selectSeries(
  database: Queryable,
  userId: string,
  typeIds: readonly number[] | null,
): Promise<SeriesRow[]> {
  return database.query<SeriesRow>(seriesStatement, [userId, typeIds]);
}

/** A series of one user and provider. */
interface SeriesKey {
  readonly type_id: number;
  readonly device: string;
}

interface EnsuredSeries extends SeriesKey {
  id: number;
  is_interval?: boolean;
}

const select = {
  name: 'timeseries-select-provider-series',
  text: `
    select s.id, s.type_id, s.device, s.is_interval from unnest($3::smallint[], $4::text[]) t (type_id, device)
    join timeseries.series s
      on s.user_id = $1 and s.type_id = t.type_id and s.provider = $2 and s.device = t.device`,
};

const insert = {
  name: 'timeseries-insert-series',
  text: `
    insert into timeseries.series (user_id, provider, type_id, device)
    select $1, $2, t.type_id, t.device from unnest($3::smallint[], $4::text[]) t (type_id, device)
    on conflict (user_id, type_id, provider, device) do update set device = excluded.device
    returning id, type_id, device`,
};

/** The ids of series. Missing series are inserted. The caller holds the user's lock. */
export async function ensureSeries(
  transaction: Queryable,
  userId: string,
  provider: string,
  keys: readonly SeriesKey[],
): Promise<EnsuredSeries[]> {
  if (keys.length === 0) return [];
  const stored = await transaction.query<EnsuredSeries>(select, parameters(userId, provider, keys));
  const taken = stored.filter(({ is_interval }) => is_interval);
  if (taken.length > 0) return besideIntervals(transaction, userId, provider, keys, taken);
  const storedNames = new Set(stored.map(({ type_id, device }) => `${type_id} ${device}`));
  const missing = keys.filter(({ type_id, device }) => !storedNames.has(`${type_id} ${device}`));
  if (missing.length === 0) return stored;
  return [
    ...stored,
    ...(await transaction.query<EnsuredSeries>(insert, parameters(userId, provider, missing))),
  ];
}

function parameters(userId: string, provider: string, keys: readonly SeriesKey[]): unknown[] {
  return [userId, provider, ...columnsOf(keys, 'type_id', 'device')];
}

/** Samples of a device that has intervals of the type have a series of their own. */
async function besideIntervals(
  transaction: Queryable,
  userId: string,
  provider: string,
  keys: readonly SeriesKey[],
  taken: readonly SeriesKey[],
): Promise<EnsuredSeries[]> {
  const isTaken = (key: SeriesKey) =>
    taken.some(({ type_id, device }) => type_id === key.type_id && device === key.device);
  const nameOf = (key: SeriesKey) => (isTaken(key) ? besideName(key.device) : key.device);
  const renamed = keys.map((key) => ({ type_id: key.type_id, device: nameOf(key) }));
  const rows = await ensureSeries(transaction, userId, provider, renamed);
  return keys.flatMap((key, index) => {
    const row = rows.find(
      ({ type_id, device }) => type_id === key.type_id && device === renamed[index]?.device,
    );
    return row === undefined ? [] : [{ ...key, id: row.id }];
  });
}

/** The name of the series of samples of a device that has intervals of the type. */
function besideName(stored: string): string {
  const end = ' (samples)';
  const { device, method } = readMethod(stored);
  return withMethod(`${device.slice(0, longestDevice - end.length)}${end}`, method);
}

const ownSeriesStatement = {
  name: 'timeseries-select-own-series',
  text: 'select id, type_id, provider, device, is_interval from timeseries.series where user_id = $1 and id = $2',
};

/** A series if it belongs to the user. */
export async function selectOwnSeries(
  database: Queryable,
  userId: string,
  seriesId: number,
): Promise<SeriesRow | undefined> {
  const [row] = await database.query<SeriesRow>(ownSeriesStatement, [userId, seriesId]);
  return row;
}

/**
 * Writes the catalogue of series types to the table that the triggers read. Rows are locked in one order, because
 * several processes may start at once. A type that becomes a level in dB, or ceases to be one, needs a migration that
 * recomputes its energies; one that becomes a type of a night, one that marks all nights.
 */
export async function upsertSeriesTypes(database: Queryable): Promise<void> {
  const rows = seriesCatalogue.map(({ id, type, bucket }) => ({
    id,
    name: type,
    bucket,
    of_night: nightTypeIds.includes(id),
  }));
  await database.query(
    `insert into timeseries.series_type as t (id, name, bucket, of_night)
     select id, name, bucket, of_night
     from jsonb_to_recordset($1) r (id smallint, name text, bucket text, of_night boolean) order by id
     on conflict (id) do update set name = excluded.name, bucket = excluded.bucket, of_night = excluded.of_night
     where (t.name, t.bucket, t.of_night) is distinct from (excluded.name, excluded.bucket, excluded.of_night)`,
    [JSON.stringify(rows)],
  );
}

/**
 * Stores the series types that each summary is computed from, for the triggers that record changes. The lock is held
 * because several processes may start at once.
 */
export async function replaceSummaryTypes(
  database: Database,
  summaries: Readonly<Record<string, readonly SeriesType[]>>,
): Promise<void> {
  const rows = Object.entries(summaries).flatMap(([summary, types]) =>
    types.map((type) => ({ type_id: seriesOf(type).id, summary })),
  );
  await database.transaction(async (transaction) => {
    await transaction.query('lock table changes.summary_type in share row exclusive mode');
    await transaction.query(
      `with wanted as (select * from jsonb_to_recordset($1) r (type_id smallint, summary text)),
       removed as (
         delete from changes.summary_type t where not exists (
           select from wanted w where w.type_id = t.type_id and w.summary = t.summary))
       insert into changes.summary_type (type_id, summary) select type_id, summary from wanted on conflict do nothing`,
      [JSON.stringify(rows)],
    );
  });
}
