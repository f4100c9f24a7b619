import { readMethod } from '../../../domain/records/recording-method.ts';
import { type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
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
interface SampleQuery {
  readonly type: SeriesType;
  readonly project: string;
  readonly users: readonly string[] | null;
  readonly from: number;
  readonly end: number;
}

/** Samples of one source in [from, end), as those of a query. */
interface SourceSpan {
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
    project,
    seriesOf(type).id,
    spans.map(({ user_id }) => user_id),
    spans.map(({ provider }) => provider),
    spans.map(({ device }) => device),
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
    project,
    seriesOf(type).id,
    users,
    after?.user_id ?? null,
    after?.id ?? null,
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

/** Rows of samples in columns. The arrays have the length of the rows. */
interface ParsedSamples {
  readonly rows: number;
  /** Indexes of the series. */
  readonly series: Uint16Array;
  /** Microseconds since 1970. */
  readonly time: Float64Array;
  readonly value: Float64Array;
  readonly zone: Int16Array;
  /** Milliseconds; null if these are no intervals. */
  readonly duration: Int32Array | null;
}

/** Parses PostgreSQL's binary form of rows of samples, which arrives in chunks that end anywhere. */
interface SampleParser {
  /** Full batches. */
  push(chunk: Buffer): ParsedSamples[];
  /** The last batch, or null. @throws if the rows are not complete */
  end(): ParsedSamples | null;
}

/** Rows of a batch. */
export const rowsPerBatch = 4000;
/** The signature, the flags and the length of an extension that is empty. */
const headerBytes = 19;
/** From 1970 to 2000, in microseconds. */
const epoch = 946_684_800_000_000;
/** The number of columns of a row; after the last row it is -1. */
const countBytes = 2;
// Each value follows its length: the series, the time, the value, the offset, the duration.
const rowBytes = countBytes + (4 + 4) + (4 + 8) + (4 + 8) + (4 + 2);
const durationBytes = 4 + 4;

/** Creates a parser of rows whose first column is the index of their series. */
function newSampleParser(isInterval: boolean): SampleParser {
  const stride = rowBytes + (isInterval ? durationBytes : 0);
  let rest: Buffer = Buffer.alloc(0);
  let [isStarted, isEnded] = [false, false];
  let batch = newBatch(isInterval);
  let n = 0;

  const takeRow = (view: DataView, at: number) => {
    batch.series[n] = view.getInt32(at + 6);
    batch.time[n] = view.getInt32(at + 14) * 4_294_967_296 + view.getUint32(at + 18) + epoch;
    batch.value[n] = view.getFloat64(at + 26);
    batch.zone[n] = view.getInt16(at + 38);
    if (batch.duration !== null) batch.duration[n] = view.getInt32(at + 44);
    n += 1;
  };
  const takeBatch = (): ParsedSamples => {
    const full = cut(batch, n);
    [batch, n] = [newBatch(isInterval), 0];
    return full;
  };
  return {
    push(chunk) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const batches: ParsedSamples[] = [];
      let at = 0;
      if (!isStarted && bytes.length >= headerBytes) [isStarted, at] = [true, headerBytes];
      while (isStarted && !isEnded && at + countBytes <= bytes.length) {
        isEnded = view.getInt16(at) === -1;
        if (isEnded || at + stride > bytes.length) break;
        takeRow(view, at);
        at += stride;
        if (n === rowsPerBatch) batches.push(takeBatch());
      }
      rest = bytes.subarray(at);
      return batches;
    },
    end() {
      if (!isEnded) throw new Error('the rows of samples ended early');
      return n === 0 ? null : takeBatch();
    },
  };
}

function newBatch(isInterval: boolean) {
  return {
    series: new Uint16Array(rowsPerBatch),
    time: new Float64Array(rowsPerBatch),
    value: new Float64Array(rowsPerBatch),
    zone: new Int16Array(rowsPerBatch),
    duration: isInterval ? new Int32Array(rowsPerBatch) : null,
  };
}

function cut(
  { series, time, value, zone, duration }: ReturnType<typeof newBatch>,
  rows: number,
): ParsedSamples {
  return {
    rows,
    series: series.subarray(0, rows),
    time: time.subarray(0, rows),
    value: value.subarray(0, rows),
    zone: zone.subarray(0, rows),
    duration: duration === null ? null : duration.subarray(0, rows),
  };
}
