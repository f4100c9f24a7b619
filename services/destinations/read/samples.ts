import { readMethod } from '../../../domain/records/recording-method.ts';
import { type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { newSampleParser, type ParsedSamples } from './parse-samples.ts';
import type { Snapshot } from './snapshot.ts';

/** A series, as a destination shows its source. */
export interface SeriesSource {
  readonly user_id: string;
  readonly provider: string;
  readonly device: string;
  readonly recording_method: string | null;
}

/** Samples of one type, a column each. `series` holds an index into `sources`; `duration` is null for samples of an instant. */
export interface SampleBatch extends ParsedSamples {
  readonly sources: readonly SeriesSource[];
}

/** Which samples are read: those in [from, end), in microseconds since 1970. Of intervals the start counts. */
export interface SampleQuery {
  readonly type: SeriesType;
  readonly project: string;
  readonly users: readonly string[] | null;
  /** The source as it is stored; null for all sources. */
  readonly source: { readonly provider: string; readonly device: string } | null;
  readonly from: number;
  readonly end: number;
}

interface SeriesRow {
  readonly id: number;
  readonly user_id: string;
  readonly provider: string;
  readonly device: string;
  readonly is_interval: boolean;
}

const seriesPerPage = 10_000;
const seriesPerCopy = 500;

/** Reads samples, series by series, in batches of bounded size. Deleted users have none. */
export async function readSamples(
  snapshot: Snapshot,
  query: SampleQuery,
  onBatch: (batch: SampleBatch) => Promise<void> | void,
  shownAs: (provider: string) => string,
): Promise<void> {
  let after: Pick<SeriesRow, 'user_id' | 'id'> | null = null;
  do {
    const page: SeriesRow[] = await selectSeries(snapshot, query, after);
    for (const isInterval of [false, true]) {
      const own = page.filter(({ is_interval }) => is_interval === isInterval);
      for (let first = 0; first < own.length; first += seriesPerCopy)
        await copySamples(snapshot, query, own.slice(first, first + seriesPerCopy), onBatch, shownAs);
    }
    after = page.length < seriesPerPage ? null : (page.at(-1) ?? null);
  } while (after !== null);
}

const series = {
  name: 'destinations.select_series',
  text: `
    select s.id, s.user_id, s.provider, s.device, s.is_interval
    from timeseries.series s join users.person p on p.id = s.user_id and p.project_id = $1 and p.deleted_at is null
    where s.type_id = $2 and ($3::uuid[] is null or s.user_id = any($3))
      and ($4::text is null or s.provider = $4) and ($5::text is null or s.device = $5)
      and (s.user_id, s.id) > (coalesce($6::uuid, '00000000-0000-0000-0000-000000000000'), coalesce($7::int, 0))
    order by s.user_id, s.id limit ${seriesPerPage}`,
};

function selectSeries(
  snapshot: Queryable,
  { type, project, users, source }: SampleQuery,
  after: Pick<SeriesRow, 'user_id' | 'id'> | null,
): Promise<SeriesRow[]> {
  return snapshot.query<SeriesRow>(series, [
    ...[project, seriesOf(type).id, users, source?.provider ?? null, source?.device ?? null],
    ...[after?.user_id ?? null, after?.id ?? null],
  ]);
}

async function copySamples(
  snapshot: Snapshot,
  { from, end }: Pick<SampleQuery, 'from' | 'end'>,
  rows: readonly SeriesRow[],
  onBatch: (batch: SampleBatch) => Promise<void> | void,
  shownAs: (provider: string) => string,
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const sources = rows.map((row) => sourceOf(row, shownAs));
  const indexes = new Map(rows.map(({ id }, index) => [id, index]));
  const parser = newSampleParser(indexes, first.is_interval);
  const query = copyOf(rows, first.is_interval, from, end);
  for await (const chunk of snapshot.copy(query))
    for (const parsed of parser.push(chunk)) await onBatch({ ...parsed, sources });
  const rest = parser.end();
  if (rest !== null) await onBatch({ ...rest, sources });
}

function sourceOf({ user_id, provider, device: stored }: SeriesRow, shownAs: (provider: string) => string) {
  const { device, method } = readMethod(stored);
  return { user_id, provider: shownAs(provider), device, recording_method: method };
}

// The values are ids that were read and numbers. The user is a condition here too, so that no row of another one is read.
function copyOf(rows: readonly SeriesRow[], isInterval: boolean, from: number, end: number): string {
  const ids = rows.map(({ id }) => Math.trunc(id)).join(',');
  const users = [...new Set(rows.map(({ user_id }) => user_id))]
    .filter((id) => /^[\da-f-]{36}$/.test(id))
    .join(',');
  const [table, time, more] = isInterval
    ? ['timeseries.interval_value', 'start_time', ', x.duration_ms']
    : ['timeseries.sample', 'ts', ''];
  const at = (us: number) =>
    `timestamptz '1970-01-01 00:00:00+00' + ${Math.trunc(us)} * interval '1 microsecond'`;
  return `
    select s.id, x.${time}, x.value, x.zone_offset_minutes${more}
    from (select id from timeseries.series where id = any('{${ids}}') and user_id = any('{${users}}')
      order by user_id, type_id, provider, device) s
    cross join lateral (
      select * from ${table} where series_id = s.id and ${time} >= ${at(from)} and ${time} < ${at(end)} order by ${time}) x`;
}
