import { type IntervalSource, summedTypes } from '../../../domain/records/interval-records.ts';
import { longestDevice, withMethod } from '../../../domain/records/recording-method.ts';
import { seriesOf } from '../../../domain/records/series.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { UserProvider } from '../rules/sources.ts';
import { columnsOf } from './arrays.ts';

/** A series of intervals, with the bounds that the intervals of a call have. */
export interface IntervalSeriesKey {
  readonly type_id: number;
  readonly source_id: number;
  readonly device: string;
  readonly longest_ms: number;
  readonly min_offset_minutes: number;
  readonly max_offset_minutes: number;
}

interface SeriesRow {
  id: number;
  type_id: number;
  source_id: number;
}

const ensureIntervalSeriesStatement = {
  name: 'timeseries-ensure-interval-series',
  text: `
    with given as (
      select * from unnest($3::smallint[], $4::int[], $5::text[], $6::int[], $7::smallint[], $8::smallint[])
        t (type_id, source_id, device, longest_ms, min_offset_minutes, max_offset_minutes)
    ), known as (
      select s.id, s.type_id, g.source_id from given g
      join timeseries.series s
        on s.user_id = $1 and s.provider = $2 and s.type_id = g.type_id and s.device = g.device and s.is_interval
    ), added as (
      insert into timeseries.series (user_id, provider, type_id, device, is_interval)
      select $1, $2, type_id, device, true from given g
      where not exists (select from known k where (k.type_id, k.source_id) = (g.type_id, g.source_id))
      returning id, type_id, device
    )
    select * from known
    union all select a.id, a.type_id, g.source_id from added a join given g using (type_id, device)`,
};

// A statement of its own: the foreign key needs the series that the former statement inserted.
const widen = {
  name: 'timeseries-widen-interval-series',
  text: `
    insert into timeseries.interval_series as i
      (series_id, source_id, longest_ms, min_offset_minutes, max_offset_minutes)
    select * from unnest($1::int[], $2::int[], $3::int[], $4::smallint[], $5::smallint[])
    on conflict (series_id) do update
      set longest_ms = greatest(i.longest_ms, excluded.longest_ms),
        min_offset_minutes = least(i.min_offset_minutes, excluded.min_offset_minutes),
        max_offset_minutes = greatest(i.max_offset_minutes, excluded.max_offset_minutes)
      where (i.longest_ms, i.min_offset_minutes, i.max_offset_minutes) is distinct from
        (greatest(i.longest_ms, excluded.longest_ms), least(i.min_offset_minutes, excluded.min_offset_minutes),
         greatest(i.max_offset_minutes, excluded.max_offset_minutes))`,
};

/** The ids of series of intervals. Missing ones are inserted, and their bounds are widened. The caller holds the user's lock. */
export async function ensureIntervalSeries(
  transaction: Queryable,
  { user_id, provider }: UserProvider,
  keys: readonly IntervalSeriesKey[],
): Promise<SeriesRow[]> {
  const bounds = ['longest_ms', 'min_offset_minutes', 'max_offset_minutes'] as const;
  const rows = await transaction.query<SeriesRow>(ensureIntervalSeriesStatement, [
    user_id,
    provider,
    ...columnsOf(keys, 'type_id', 'source_id', 'device', ...bounds),
  ]);
  const keyOf = (row: SeriesRow) =>
    keys.find(({ type_id, source_id }) => type_id === row.type_id && source_id === row.source_id);
  const storedKeys = rows.flatMap((row) => keyOf(row) ?? []);
  await transaction.query(widen, [
    ...columnsOf(rows, 'id', 'source_id'),
    ...columnsOf(storedKeys, ...bounds),
  ]);
  return rows;
}

const widenOffsetsStatement = {
  name: 'timeseries-widen-interval-offsets',
  text: `
    update timeseries.interval_series i
    set min_offset_minutes = least(i.min_offset_minutes, m.least), max_offset_minutes = greatest(i.max_offset_minutes, m.greatest)
    from (
      select series_id, min(minutes) as least, max(minutes) as greatest
      from unnest($1::int[], $2::smallint[]) t (series_id, minutes) group by 1) m
    where m.series_id = i.series_id`,
};

/** Widens the bounds of the offsets of series by those of intervals that move. */
export async function widenOffsets(
  transaction: Queryable,
  rows: readonly { readonly series_id: number; readonly zone_offset_minutes: number }[],
): Promise<void> {
  await transaction.query(widenOffsetsStatement, columnsOf(rows, 'series_id', 'zone_offset_minutes'));
}

const selectSet = {
  name: 'timeseries-select-interval-set',
  text: 'select id from timeseries.interval_set where user_id = $1 and provider = $2',
};

const insertSet = {
  name: 'timeseries-insert-interval-set',
  text: 'insert into timeseries.interval_set (user_id, provider, ranked_by) values ($1, $2, $3) returning id',
};

/** The set of a user's intervals from a provider, or undefined. */
export async function selectIntervalSet(
  transaction: Queryable,
  userId: string,
  provider: string,
): Promise<number | undefined> {
  const [row] = await transaction.query<{ id: number }>(selectSet, [userId, provider]);
  return row?.id;
}

/** The set of a user's intervals from a provider. It is inserted if it is missing. The caller holds the user's lock. */
export async function ensureIntervalSet(
  transaction: Queryable,
  userId: string,
  provider: string,
  rankedBy: string,
): Promise<number> {
  const setId = await selectIntervalSet(transaction, userId, provider);
  if (setId !== undefined) return setId;
  const [row] = await transaction.query<{ id: number }>(insertSet, [userId, provider, rankedBy]);
  if (row === undefined) throw new Error('no row of the inserted set');
  return row.id;
}

/** A stored source. `device` is the name of its series. */
export interface SourceRow {
  id: number;
  device_type: string;
  device_id: string;
  app: string;
  device: string;
}

const columns = 'id, device_type, device_id, app, device';
const selectSources = {
  name: 'timeseries-select-interval-sources',
  text: `select ${columns} from timeseries.interval_source where set_id = $1`,
};

// The devices of series of samples of the same types.
const selectTaken = {
  name: 'timeseries-select-taken-devices',
  text: `
    select distinct s.device from timeseries.interval_set i
    join timeseries.series s on s.user_id = i.user_id and s.provider = i.provider
    where i.id = $1 and not s.is_interval and s.type_id = any($2::smallint[])`,
};

const insertSources = {
  name: 'timeseries-insert-interval-source',
  text: `
    insert into timeseries.interval_source (set_id, device_type, device_id, app, device)
    values ($1, $2, $3, $4, $5) returning ${columns}`,
};

const summedIds = summedTypes.map((type) => seriesOf(type).id);

/** The stored sources of a call, in its order. Missing ones are inserted. The caller holds the user's lock. */
export async function ensureIntervalSources(
  transaction: Queryable,
  setId: number,
  sources: readonly IntervalSource[],
): Promise<SourceRow[]> {
  const stored = await transaction.query<SourceRow>(selectSources, [setId]);
  const byIdentity = new Map(stored.map((row) => [identity(row), row]));
  const rows: SourceRow[] = [];
  for (const source of sources) {
    const row =
      byIdentity.get(identity(columnsOfSource(source))) ??
      (await insertSource(transaction, setId, source, [...byIdentity.values()]));
    byIdentity.set(identity(row), row);
    rows.push(row);
  }
  return rows;
}

async function insertSource(
  transaction: Queryable,
  setId: number,
  source: IntervalSource,
  stored: readonly SourceRow[],
): Promise<SourceRow> {
  const ofSamples = await transaction.query<{ device: string }>(selectTaken, [setId, summedIds]);
  const taken = new Set([...stored, ...ofSamples].map(({ device }) => device));
  const { device_type, device_id, app } = columnsOfSource(source);
  const values = [setId, device_type, device_id, app, freeName(source, taken)];
  const [row] = await transaction.query<SourceRow>(insertSources, values);
  if (row === undefined) throw new Error('no row of the inserted source');
  return row;
}

/** The name of the device; with the app, then with a number, if another source has that name. */
function freeName({ device, app, device_type }: IntervalSource, taken: ReadonlySet<string>): string {
  const withMethodOf = (shown: string) => withMethod(shown, device_type === 'manual' ? 'manual' : null);
  const name = app === null ? device : suffixed(device, ` (${app})`);
  for (const candidate of [device, name].map(withMethodOf)) if (!taken.has(candidate)) return candidate;
  for (let number = 2; ; number += 1) {
    const candidate = withMethodOf(suffixed(name, ` ${number}`));
    if (!taken.has(candidate)) return candidate;
  }
}

// The name of a method fits after it.
function suffixed(name: string, suffix: string): string {
  const end = suffix.slice(0, longestDevice - 1);
  return `${name.slice(0, longestDevice - end.length)}${end}`;
}

function columnsOfSource({ device_type, device, device_id, app }: IntervalSource) {
  return { device_type, device_id: device_id ?? device, app: app ?? '' };
}

function identity({ device_type, device_id, app }: Omit<SourceRow, 'id' | 'device'>): string {
  return JSON.stringify([device_type, device_id, app]);
}

/** A series of intervals with its source and bounds. */
export interface IntervalSeriesRow {
  id: number;
  type_id: number;
  provider: string;
  device: string;
  device_type: string;
  longest_ms: number;
  min_offset_minutes: number;
  max_offset_minutes: number;
  /** The configured order by which the user's statistics are computed. Null: not known. */
  ranked_by: string | null;
  /** The statistics must be recomputed. */
  is_pending: boolean;
}

const intervalSeriesStatement = {
  name: 'timeseries-select-interval-series',
  text: `
    select s.id, s.type_id, s.provider, s.device, o.device_type, i.longest_ms, i.min_offset_minutes, i.max_offset_minutes,
      t.ranked_by, i.settled < i.requested as is_pending
    from timeseries.series s
    join timeseries.interval_series i on i.series_id = s.id
    join timeseries.interval_source o on o.id = i.source_id
    join timeseries.interval_set t on t.id = o.set_id
    where s.user_id = $1 and s.is_interval and ($2::smallint[] is null or s.type_id = any($2))`,
};

/** A user's series of intervals of the given types, or all. */
export function selectIntervalSeries(
  database: Queryable,
  userId: string,
  typeIds: readonly number[] | null,
): Promise<IntervalSeriesRow[]> {
  return database.query<IntervalSeriesRow>(intervalSeriesStatement, [userId, typeIds]);
}

const typesStatement = {
  name: 'timeseries-select-types-of-series',
  text: 'select id, type_id from timeseries.series where id = any($1::int[])',
};

/** The types of series. */
export function selectTypes(
  transaction: Queryable,
  ids: readonly number[],
): Promise<{ id: number; type_id: number }[]> {
  return transaction.query<{ id: number; type_id: number }>(typesStatement, [ids]);
}

/** The order of sources of a user for a series type; `type_id` 0 stands for all types. Null is the configured order. */
export interface PriorityRow {
  type_id: number;
  providers: string[] | null;
  device_types: string[] | null;
}

const selectPriority = {
  name: 'timeseries-select-source-priority',
  text: `
    select type_id, providers, device_types from timeseries.source_priority where user_id = $1 order by type_id`,
};

/** The orders of sources that a user has instead of the configured one. */
export function selectPriorities(database: Queryable, userId: string): Promise<PriorityRow[]> {
  return database.query<PriorityRow>(selectPriority, [userId]);
}

const upsertPriorityStatement = {
  name: 'timeseries-upsert-source-priority',
  text: `
    insert into timeseries.source_priority (user_id, type_id, providers, device_types) values ($1, $2, $3, $4)
    on conflict (user_id, type_id) do update
      set providers = excluded.providers, device_types = excluded.device_types`,
};

/** Stores an order. An order without lists is removed. */
export async function upsertPriority(
  transaction: Queryable,
  userId: string,
  { type_id, providers, device_types }: PriorityRow,
): Promise<void> {
  if (providers === null && device_types === null) {
    await transaction.query('delete from timeseries.source_priority where user_id = $1 and type_id = $2', [
      userId,
      type_id,
    ]);
    return;
  }
  await transaction.query(upsertPriorityStatement, [userId, type_id, providers, device_types]);
}
