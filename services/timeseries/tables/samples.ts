import { dayMs, hourMs, isoTime } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { arrayText, binaryArray } from './arrays.ts';

/** Samples as columns, ordered by (series, time), without duplicate keys. */
export interface SampleColumns {
  readonly seriesIds: readonly number[];
  readonly offsets: readonly number[];
  readonly times: readonly number[];
  readonly values: readonly number[];
  /** The index of each sample's item in the call. */
  readonly items: readonly number[];
  /** `placed_by` of each sample, 0 for null. Null: all have their own clocks. */
  readonly placedBy: readonly number[] | null;
}

interface WrittenRow {
  item: number;
  written: number;
}

const columns = 'series_id, zone_offset_minutes, ts, value';
const arrays = '$1::int[], $2::smallint[], $3::timestamptz[], $4::float8[]';

/** The statements for samples of which all have their own clocks, or of which some were placed by another (`placed_by`). */
function statements(arePlaced: boolean) {
  const name = arePlaced ? '-placed' : '';
  const given = arePlaced ? `unnest(${arrays}, $5::smallint[]` : `unnest(${arrays}`;
  const names = arePlaced ? `${columns}, placed_by` : columns;
  const selected = arePlaced ? `${columns}, nullif(placed_by, 0)` : columns;
  const items = arePlaced ? '$6' : '$5';
  const upsert = (source: string) => `
    insert into timeseries.sample as s (${names})
    select ${selected} from ${source}
    on conflict (series_id, ts) do update
      set value = excluded.value, zone_offset_minutes = excluded.zone_offset_minutes, placed_by = excluded.placed_by
      where (s.value, s.zone_offset_minutes, s.placed_by) is distinct from
        (excluded.value, excluded.zone_offset_minutes, excluded.placed_by)`;
  return {
    insert: {
      name: `timeseries-insert-samples${name}`,
      text: `insert into timeseries.sample (${names}) select ${selected} from ${given}) t (${names})`,
    },
    ofOneItem: {
      name: `timeseries-upsert-samples${name}`,
      text: `
        with written as (${upsert(`${given}) t (${names})`)} returning 1)
        select ${items}::int as item, count(*)::int as written from written`,
    },
    // Counting per item costs 15 % of the rate (217,000 rows/s instead of 244,000).
    ofSeveralItems: {
      name: `timeseries-upsert-samples-of-items${name}`,
      text: `
        with given as materialized (select * from ${given}, ${items}::int[]) t (${names}, item)),
        written as (${upsert('given')} returning s.series_id, s.ts)
        select g.item, count(*)::int as written from written w join given g using (series_id, ts) group by g.item`,
    },
  };
}

const ownClock = statements(false);
const placed = statements(true);

const hasSamplesStatement = {
  name: 'timeseries-has-samples',
  text: 'select timeseries.has_samples($1, $2, $3) as found',
};

/** Rows of a user-day at one per 15 s fit. Single rows are 100 times slower (measured). */
export const samplesPerStatement = 6000;

/** With fewer rows, to look for stored ones first costs more than it saves. */
const leastToLook = 100;

/**
 * Writes samples, under the user's lock. Unchanged samples are not written. Returns the number of written rows per item. Where no
 * series has samples between its first and last of them, rows are inserted without looking for each in the index: 2.5 instead
 * of 5.6 µs of the database's CPU a row.
 */
export async function upsertSamples(transaction: Queryable, samples: SampleColumns): Promise<WrittenRow[]> {
  const { seriesIds, offsets, times, values, items, placedBy } = samples;
  const { insert, ofOneItem, ofSeveralItems } = placedBy === null ? ownClock : placed;
  const arrays = [
    binaryArray('int4', seriesIds),
    binaryArray('int2', offsets),
    binaryArray('timestamptz', times),
    binaryArray('float8', values),
    ...(placedBy === null ? [] : [binaryArray('int2', placedBy)]),
  ];
  if (items.length >= leastToLook && (await areNew(transaction, samples))) {
    await transaction.query(insert, arrays);
    return countPerItem(items);
  }
  const [item] = items;
  if (items.every((other) => other === item))
    return transaction.query<WrittenRow>(ofOneItem, [...arrays, item]);
  return transaction.query<WrittenRow>(ofSeveralItems, [...arrays, binaryArray('int4', items)]);
}

async function areNew(transaction: Queryable, { seriesIds, times }: SampleColumns): Promise<boolean> {
  const spans = new Map<number, { first: number; last: number }>();
  for (const [index, id] of seriesIds.entries()) {
    const ms = times[index] ?? 0;
    const span = spans.get(id);
    if (span === undefined) spans.set(id, { first: ms, last: ms });
    else if (ms > span.last) span.last = ms;
    else if (ms < span.first) span.first = ms;
  }
  const firsts = [...spans.values()].map(({ first }) => first);
  const lasts = [...spans.values()].map(({ last }) => last);
  const [row] = await transaction.query<{ found: boolean }>(hasSamplesStatement, [
    binaryArray('int4', [...spans.keys()]),
    binaryArray('timestamptz', firsts),
    binaryArray('timestamptz', lasts),
  ]);
  return row?.found === false;
}

function countPerItem(items: readonly number[]): WrittenRow[] {
  const counts = new Map<number, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return [...counts].map(([item, written]) => ({ item, written }));
}

/** A sample as stored. */
export interface StoredSample {
  readonly series_id: number;
  readonly ms: number;
  readonly value: number;
  readonly zone_offset_minutes: number;
  readonly placed_by: number | null;
}

/** Writes any number of samples with distinct keys. */
export async function writeStoredSamples(
  transaction: Queryable,
  samples: readonly StoredSample[],
): Promise<void> {
  for (let from = 0; from < samples.length; from += samplesPerStatement) {
    const part = samples.slice(from, from + samplesPerStatement);
    await upsertSamples(transaction, {
      seriesIds: part.map(({ series_id }) => series_id),
      offsets: part.map(({ zone_offset_minutes }) => zone_offset_minutes),
      times: part.map(({ ms }) => ms),
      values: part.map(({ value }) => value),
      items: part.map(() => 0),
      placedBy: placedByOf(part),
    });
  }
}

/** `placed_by` of samples, 0 for null. Null if all have their own clocks. */
export function placedByOf(samples: readonly { readonly placed_by: number | null }[]): number[] | null {
  return samples.every(({ placed_by }) => placed_by === null)
    ? null
    : samples.map(({ placed_by }) => placed_by ?? 0);
}

/** The key of a sample. */
interface SampleInstant {
  readonly series_id: number;
  readonly ms: number;
}

/** Bounds the samples that a statement deletes. */
const mostPerStatement = 20_000;

// Without a name and without a join: compressed batches are selected by constants only, otherwise the batches of all
// users are decompressed. The last condition pairs series and times; a part spans at most a day, less than 2^27 ms.
const deleteInstants = `
  with gone as (
    delete from timeseries.sample
    where series_id = any($1::int[]) and ts = any($2::timestamptz[]) and ts >= $3 and ts <= $4
      and (series_id::bigint << 27) + round(extract(epoch from ts - $3) * 1000)::bigint = any($5::bigint[])
    returning 1)
  select count(*)::int as n from gone`;

/** Deletes single samples. Triggers update the statistics. Returns their number. */
export async function deleteSampleInstants(
  transaction: Queryable,
  instants: readonly SampleInstant[],
): Promise<number> {
  let deleted = 0;
  for (const part of partsOfDays(instants)) deleted += await deletePart(transaction, part);
  return deleted;
}

async function deletePart(transaction: Queryable, part: readonly SampleInstant[]): Promise<number> {
  const [firstMs, lastMs] = [part[0]?.ms ?? 0, part.at(-1)?.ms ?? 0];
  const ids = new Set(part.map(({ series_id }) => series_id));
  const times = new Set(part.map(({ ms }) => ms));
  const keys = part.map(({ series_id, ms }) => `${(BigInt(series_id) << 27n) + BigInt(ms - firstMs)}`);
  const [row] = await transaction.query<{ n: number }>(deleteInstants, [
    arrayText([...ids]),
    arrayText([...times].map(isoTime)),
    isoTime(firstMs),
    isoTime(lastMs),
    arrayText(keys),
  ]);
  return row?.n ?? 0;
}

/** Instants in the order of time, in parts of a day at most: more batches would be decompressed for a wider range. */
function partsOfDays(instants: readonly SampleInstant[]): SampleInstant[][] {
  const parts: SampleInstant[][] = [];
  const ordered = instants.map(({ series_id, ms }) => ({ series_id, ms: Math.round(ms) }));
  for (const instant of ordered.toSorted((a, b) => a.ms - b.ms)) {
    const part = parts.at(-1);
    const isNear = part?.[0] !== undefined && instant.ms - part[0].ms < dayMs;
    if (part !== undefined && isNear && part.length < mostPerStatement) part.push(instant);
    else parts.push([instant]);
  }
  return parts;
}

/** An instant of a device of a provider. */
interface DeviceInstant {
  readonly type_id: number;
  readonly device: string;
  readonly ms: number;
}

const seriesOfDevicesStatement = {
  name: 'timeseries-select-series-of-devices',
  text: `
    select id, type_id, device from timeseries.series
    where user_id = $1 and provider = $2 and type_id = any($3::smallint[]) and not is_interval`,
};

/** Deletes samples of a provider's devices. Returns their number. */
export async function deleteSamples(
  transaction: Queryable,
  userId: string,
  provider: string,
  instants: readonly DeviceInstant[],
): Promise<number> {
  if (instants.length === 0) return 0;
  const types = [...new Set(instants.map(({ type_id }) => type_id))];
  const series = await transaction.query<{ id: number; type_id: number; device: string }>(
    seriesOfDevicesStatement,
    [userId, provider, types],
  );
  const idOf = new Map(series.map(({ id, type_id, device }) => [`${type_id} ${device}`, id]));
  const stored = instants.flatMap(({ type_id, device, ms }) => {
    const series_id = idOf.get(`${type_id} ${device}`);
    return series_id === undefined ? [] : [{ series_id, ms }];
  });
  return deleteSampleInstants(transaction, stored);
}

/** Bounds a transaction, and with it how long stores of the user wait. */
export const oldSamplesPerPart = 20_000;

/** Clocks differ from UTC by at most 18 hours. */
const furthestClockMs = 18 * hourMs;

// The bound on ts is a constant, so that chunks and compressed batches after the border are left out.
const isOld = `series_id = $1 and ts < $3::timestamptz
  and ts + zone_offset_minutes * interval '1 minute' < $2::timestamptz`;

/**
 * Deletes the oldest samples of a series whose local day is before `keptFrom`. Triggers update the statistics. The
 * caller holds the user's lock. Returns whether those were all.
 */
export async function deleteOldSamples(
  transaction: Queryable,
  seriesId: number,
  keptFrom: string,
  most = oldSamplesPerPart,
): Promise<boolean> {
  const border = `${keptFrom}T00:00:00Z`;
  const beyond = isoTime(Date.parse(border) + furthestClockMs);
  const [next] = await transaction.query<{ ts: string }>(
    `select ts::text from timeseries.sample where ${isOld} order by ts offset $4 limit 1`,
    [seriesId, border, beyond, most],
  );
  const values = [seriesId, border, next?.ts ?? beyond];
  await transaction.query(`delete from timeseries.sample where ${isOld}`, values);
  return next === undefined;
}

/** Deletes a series without samples. The caller holds the user's lock. */
export async function deleteEmptySeries(transaction: Queryable, seriesId: number): Promise<void> {
  await transaction.query(
    `delete from timeseries.series where id = $1
       and not exists (select from timeseries.sample_day where series_id = $1)
       and not exists (select from timeseries.activity_block where series_id = $1)`,
    [seriesId],
  );
}

/** A series with expired samples. */
export interface OldSeriesRow {
  id: number;
  user_id: string;
}

// Finds the series through the statistics, with one index lookup per series. The inner limit prevents the planner from
// reading all statistics.
const oldSeriesIn = (series: string) => `
  select s.id, s.user_id from ${series} s
  cross join lateral (
    select from timeseries.sample_local_day d where d.series_id = s.id and d.date < $2 limit 1
  ) old
  where s.id > $1 order by s.id limit 1`;

const oldSeriesOfAll = oldSeriesIn('timeseries.series');
// Without the list of the users' series first, the planner reads all series in the order of their ids.
const oldSeriesOfUsers = `
  with own as materialized (select id, user_id from timeseries.series where user_id = any($3::uuid[]) and id > $1)
  ${oldSeriesIn('own')}`;

/** The next series after `afterId` with samples of local days before `keptFrom`, of all users or of some. */
export async function selectOldSeries(
  transaction: Queryable,
  afterId: number,
  keptFrom: string,
  users?: readonly string[],
): Promise<OldSeriesRow | undefined> {
  const [row] =
    users === undefined
      ? await transaction.query<OldSeriesRow>(oldSeriesOfAll, [afterId, keptFrom])
      : await transaction.query<OldSeriesRow>(oldSeriesOfUsers, [afterId, keptFrom, users]);
  return row;
}
