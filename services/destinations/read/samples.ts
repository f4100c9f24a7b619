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
  readonly from: number;
  readonly end: number;
}

/** Samples of one source in [from, end), as those of a query. */
export interface SourceSpan {
  readonly user_id: string;
  /** As they are stored. */
  readonly provider: string;
  readonly device: string;
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

/** A part of a series that is read. */
type SeriesPart = SeriesRow & Pick<SampleQuery, 'from' | 'end'>;

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
    const { from, end } = query;
    const parts = page.map((row) => ({ ...row, from, end }));
    await copyParts(snapshot, parts, onBatch, shownAs);
    after = page.length < seriesPerPage ? null : (page.at(-1) ?? null);
  } while (after !== null);
}

/**
 * Reads the samples of spans of one type in batches of bounded size, span by span, oldest first. `onBatch` gets the spans that the indexes
 * in `series` name. Spans without samples do not occur.
 */
export async function readSpanSamples<S extends SourceSpan>(
  snapshot: Snapshot,
  { type, project, spans }: Pick<SampleQuery, 'type' | 'project'> & { readonly spans: readonly S[] },
  onBatch: (batch: SampleBatch, spans: readonly S[]) => Promise<void> | void,
  shownAs: (provider: string) => string,
): Promise<void> {
  const rows = await snapshot.query<SeriesRow & { n: number }>(ofSpans, [
    ...[project, seriesOf(type).id, spans.map(({ user_id }) => user_id)],
    ...[spans.map(({ provider }) => provider), spans.map(({ device }) => device)],
  ]);
  const parts = rows.flatMap(({ n, ...row }) => {
    const span = spans[n];
    return span === undefined ? [] : [{ ...row, span, from: span.from, end: span.end }];
  });
  const take = (batch: SampleBatch, own: typeof parts) =>
    onBatch(
      batch,
      own.map(({ span }) => span),
    );
  await copyParts(snapshot, parts, take, shownAs);
}

async function copyParts<P extends SeriesPart>(
  snapshot: Snapshot,
  parts: readonly P[],
  onBatch: (batch: SampleBatch, parts: P[]) => Promise<void> | void,
  shownAs: (provider: string) => string,
): Promise<void> {
  for (const isInterval of [false, true]) {
    const own = parts.filter(({ is_interval }) => is_interval === isInterval);
    for (let first = 0; first < own.length; first += seriesPerCopy) {
      const some = own.slice(first, first + seriesPerCopy);
      await copySamples(snapshot, some, isInterval, (batch) => onBatch(batch, some), shownAs);
    }
  }
}

const ofSpans = {
  name: 'destinations.select_series_of_spans',
  text: `
    select (r.n - 1)::int as n, s.id, s.user_id, s.provider, s.device, s.is_interval
    from unnest($3::uuid[], $4::text[], $5::text[]) with ordinality r (user_id, provider, device, n)
    join timeseries.series s on s.user_id = r.user_id and s.type_id = $2 and s.provider = r.provider and s.device = r.device
    join users.person p on p.project_id = $1 and p.deleted_at is null and p.id = s.user_id
    order by r.n`,
};

const series = {
  name: 'destinations.select_series',
  text: `
    select s.id, s.user_id, s.provider, s.device, s.is_interval
    from timeseries.series s join users.person p on p.id = s.user_id and p.project_id = $1 and p.deleted_at is null
    where s.type_id = $2 and ($3::uuid[] is null or s.user_id = any($3))
      and (s.user_id, s.id) > (coalesce($4::uuid, '00000000-0000-0000-0000-000000000000'), coalesce($5::int, 0))
    order by s.user_id, s.id limit ${seriesPerPage}`,
};

function selectSeries(
  snapshot: Queryable,
  { type, project, users }: SampleQuery,
  after: Pick<SeriesRow, 'user_id' | 'id'> | null,
): Promise<SeriesRow[]> {
  return snapshot.query<SeriesRow>(series, [
    ...[project, seriesOf(type).id, users],
    ...[after?.user_id ?? null, after?.id ?? null],
  ]);
}

async function copySamples(
  snapshot: Snapshot,
  parts: readonly SeriesPart[],
  isInterval: boolean,
  onBatch: (batch: SampleBatch) => Promise<void> | void,
  shownAs: (provider: string) => string,
): Promise<void> {
  const sources = parts.map((row) => sourceOf(row, shownAs));
  const parser = newSampleParser(isInterval);
  for await (const chunk of snapshot.copy(copyOf(parts, isInterval)))
    for (const parsed of parser.push(chunk)) await onBatch({ ...parsed, sources });
  const rest = parser.end();
  if (rest !== null) await onBatch({ ...rest, sources });
}

function sourceOf({ user_id, provider, device: stored }: SeriesRow, shownAs: (provider: string) => string) {
  const { device, method } = readMethod(stored);
  return { user_id, provider: shownAs(provider), device, recording_method: method };
}

// The values are ids that were read and numbers. The user is a condition here too, so that no row of another one is read. The bounds of
// all parts are constants, by which the planner leaves out chunks.
function copyOf(parts: readonly SeriesPart[], isInterval: boolean): string {
  const [table, time, more] = isInterval
    ? ['timeseries.interval_value', 'start_time', ', x.duration_ms']
    : ['timeseries.sample', 'ts', ''];
  const at = (us: number | string) =>
    `timestamptz '1970-01-01 00:00:00+00' + ${us} * interval '1 microsecond'`;
  const list = (values: readonly (number | string)[], type: string) => `'{${values.join(',')}}'::${type}[]`;
  const numbers = (pick: (part: SeriesPart) => number) => parts.map((part) => Math.trunc(pick(part)));
  const [ids, from, end] = [
    numbers((part) => part.id),
    numbers((part) => part.from),
    numbers((part) => part.end),
  ];
  const users = parts.map(({ user_id }) => (/^[\da-f-]{36}$/.test(user_id) ? user_id : 'null'));
  return `
    select s.n, x.${time}, x.value, x.zone_offset_minutes${more}
    from (select (r.n - 1)::int as n, s.id, r.first, r.last
      from unnest(${list(ids, 'int')}, ${list(users, 'uuid')}, ${list(from, 'bigint')}, ${list(end, 'bigint')})
        with ordinality r (id, user_id, first, last, n)
      join timeseries.series s on s.id = r.id and s.user_id = r.user_id order by r.n) s
    cross join lateral (
      select * from ${table} where series_id = s.id and ${time} >= ${at(Math.min(...from))} and ${time} < ${at(Math.max(...end))}
        and ${time} >= ${at('s.first')} and ${time} < ${at('s.last')} order by ${time}) x`;
}
