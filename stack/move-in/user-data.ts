import { z } from 'zod';
import type { StoreItem } from '../../domain/records/records.ts';
import type { Call } from '../../runtime/environment.ts';
import type { Ledger } from './ledger.ts';
import { archiveTime } from './leftovers.ts';
import type { RowBudget } from './row-budget.ts';
import { archiveItems, sampleItems } from './rules/items.ts';
import { type Mapped, noProvider } from './rules/mapped.ts';
import { recordItem, scoreItem } from './rules/records.ts';
import {
  ArchiveRow,
  RecordRow,
  SampleRow,
  ScoreRow,
  type SeriesDefinition,
  SourceRow,
} from './rules/rows.ts';
import { activeTime } from './rules/series.ts';
import { providerOf } from './rules/sources.ts';
import type { Reader, Source } from './source.ts';
import { type Columns, detailTables, type SourceTable, selectList } from './source-tables.ts';
import { type LeftReason, StoreBatch } from './store-batch.ts';

// The health data of one user, in one read-only transaction of the source: samples week by week, so that a week is in memory and in
// as few transactions of ours as it fits in, then days of the archive, records and scores.

/** What the data of users are moved with. */
export interface DataMove {
  readonly source: Source;
  /** Null in a dry run. */
  readonly call: Call | null;
  readonly definitions: ReadonlyMap<number, SeriesDefinition>;
  /** Rows before it are not read. */
  readonly since: Date | null;
  readonly isInternalScores: boolean;
  /** Whether the user was here before this run. */
  readonly wasMoved: (userId: string) => boolean;
  readonly budget: RowBudget;
  readonly signal: AbortSignal;
  /** When the run began. */
  readonly nowMs: number;
  /** Counts samples for the progress. */
  readonly onSamples: (rows: number) => void;
}

/** The samples that the user has here after the move, by series type. */
export type SampleCounts = Record<string, number>;

/** Moves the data of one user. The ledger gets every row that was read. */
export function moveUserData(move: DataMove, userId: string, ledger: Ledger): Promise<SampleCounts> {
  return move.source.reading(async (reader) => {
    const batch =
      move.call === null
        ? null
        : new StoreBatch(move.call, { userId, wasMoved: move.wasMoved(userId), signal: move.signal });
    const work: Work = { ...move, reader, userId, ledger, batch, samples: {} };
    const sources = await readSources(work);
    for (const week of await readWeeks(work, sources)) await moveWeek(work, week);
    for (const source of sources.values()) {
      await moveArchive(work, source);
      await moveRecords(work, source);
    }
    await moveScores(work, sources);
    await batch?.flush();
    return work.samples;
  });
}

interface Work extends DataMove {
  readonly reader: Reader;
  readonly userId: string;
  readonly ledger: Ledger;
  readonly batch: StoreBatch | null;
  readonly samples: SampleCounts;
}

const pageRows = 500;

async function readSources({
  reader,
  source,
  userId,
  ledger,
}: Work): Promise<ReadonlyMap<string, SourceRow>> {
  const rows = await reader.rows(
    `select ${selectList(source.columns, 'data_source', 's')} from data_source s where s.user_id = $1 order by s.id`,
    [userId],
  );
  ledger.read('data_source', rows.length);
  const sources = z.array(SourceRow).parse(rows);
  for (const row of sources)
    if (providerOf(row) === null)
      ledger.left({ table: 'data_source', id: row.id, user_id: userId, reason: noProvider });
    else ledger.moved('data_source');
  return new Map(sources.map((row) => [row.id, row]));
}

/** A part of a source's samples that is in memory at once. */
interface SampleSpan {
  readonly source: SourceRow;
  readonly types: readonly number[];
  readonly rows: number;
}

interface Week {
  readonly start: Date;
  readonly spans: readonly SampleSpan[];
}

const WeekRow = z.object({
  data_source_id: z.string(),
  /** Null: the times are infinite. */
  week: z.date().nullable(),
  series_type_definition_id: z.int(),
  n: z.int(),
});

/** The weeks that have samples, oldest first, from an index of the source. */
async function readWeeks(work: Work, sources: ReadonlyMap<string, SourceRow>): Promise<Week[]> {
  const { reader, since, ledger } = work;
  if (sources.size === 0) return [];
  const rows = await reader.rows(
    `select data_source_id,
       case when isfinite(recorded_at) then date_trunc('week', recorded_at at time zone 'UTC') at time zone 'UTC' end as week,
       series_type_definition_id, count(*)::int as n
     from data_point_series where data_source_id = any($1) ${since === null ? '' : 'and recorded_at >= $2'}
     group by 1, 2, 3 order by 2, 1, 3`,
    [[...sources.keys()], ...(since === null ? [] : [since])],
  );
  const weeks = new Map<number, WeekRow[]>();
  for (const row of z.array(WeekRow).parse(rows)) {
    if (row.week === null) {
      const infinite = {
        table: 'data_point_series',
        user_id: work.userId,
        id: row.data_source_id,
        count: row.n,
      };
      ledger.read('data_point_series', row.n);
      ledger.left({ ...infinite, reason: 'has no valid time' });
    } else weeks.set(row.week.getTime(), [...(weeks.get(row.week.getTime()) ?? []), row]);
  }
  return [...weeks].map(([ms, rows]) => weekOf(new Date(ms), rows, sources));
}

type WeekRow = z.infer<typeof WeekRow>;

function weekOf(start: Date, rows: readonly WeekRow[], sources: ReadonlyMap<string, SourceRow>): Week {
  const spans = [...Map.groupBy(rows, (row) => row.data_source_id)].flatMap(([id, own]): SampleSpan[] => {
    const source = sources.get(id);
    if (source === undefined) return [];
    return [{ source, types: own.map((row) => row.series_type_definition_id), rows: sumOf(own) }];
  });
  return { start, spans };
}

const sumOf = (rows: readonly { readonly n: number }[]) => rows.reduce((sum, { n }) => sum + n, 0);

const weekMs = 7 * 86_400_000;

/** A week with more samples of a source is moved in parts of two hours, which have items of their own. */
const mostRowsAtOnce = 60_000;
const partMs = 2 * 3_600_000;

async function moveWeek(work: Work, week: Week): Promise<void> {
  for (const part of partsOf(week)) {
    const counted = week.spans.length > 1 ? new Set<string>() : null;
    for (const span of week.spans)
      await work.budget.with(Math.min(span.rows, mostRowsAtOnce), async () => {
        work.signal.throwIfAborted();
        const rows = await readPart(work, span, part);
        const mapped = named(sampleItems(span.source, rows, work.definitions, work.nowMs), part);
        countSamples(work.samples, mapped, counted);
        await take(work, { table: 'data_point_series', id: span.source.id, rows: rows.length }, mapped);
        work.onSamples(rows.length);
      });
  }
}

/** A time of a week whose samples are read at once. */
interface Part {
  readonly start: Date;
  readonly end: Date;
  /** Null: samples and totals of days. */
  readonly isTotals: boolean | null;
  /** Added to the keys of items of samples. */
  readonly name: string;
}

// Totals of a day are one item, so that they are in one part.
function partsOf({ start, spans }: Week): Part[] {
  const end = new Date(start.getTime() + weekMs);
  if (spans.every(({ rows }) => rows <= mostRowsAtOnce)) return [{ start, end, isTotals: null, name: '' }];
  const parts = Array.from({ length: weekMs / partMs }, (_, index): Part => {
    const from = start.getTime() + index * partMs;
    return { start: new Date(from), end: new Date(from + partMs), isTotals: false, name: ` part ${index}` };
  });
  return [{ start, end, isTotals: true, name: '' }, ...parts];
}

const named = (mapped: Mapped, { name }: Part): Mapped => ({
  ...mapped,
  items: mapped.items.map((item) =>
    item.samples.length === 0 ? item : { ...item, key: `${item.key}${name}` },
  ),
});

async function readPart(
  { reader, source, since, definitions }: Work,
  span: SampleSpan,
  { start, end, isTotals }: Part,
): Promise<SampleRow[]> {
  const total =
    source.columns.get('data_point_series')?.has('is_daily_total') === true
      ? 'p.is_daily_total is true or '
      : '';
  const isTotal = `(${total}p.series_type_definition_id = any($5))`;
  const kinds = isTotals === null ? '$5::int[] is not null' : isTotals ? isTotal : `not ${isTotal}`;
  const totals = [...definitions.values()].filter(({ code }) => code === activeTime).map(({ id }) => id);
  const rows = await reader.rows(
    `select ${selectList(source.columns, 'data_point_series', 'p')} from data_point_series p
     where p.data_source_id = $1 and p.series_type_definition_id = any($2) and p.recorded_at >= $3 and p.recorded_at < $4 and ${kinds}
     order by p.series_type_definition_id, p.recorded_at`,
    [span.source.id, span.types, since !== null && since > start ? since : start, end, totals],
  );
  return z.array(SampleRow).parse(rows);
}

// Two sources of a week may be one series here: a sample of both is counted once.
function countSamples(samples: SampleCounts, { provider, items }: Mapped, counted: Set<string> | null): void {
  for (const { samples: blocks } of items)
    for (const { type, device, base_ms, at } of blocks) {
      let count = 0;
      for (const ms of at) {
        const key = counted === null ? '' : `${provider} ${type} ${device} ${base_ms + ms}`;
        if (counted?.has(key)) continue;
        counted?.add(key);
        count += 1;
      }
      samples[type] = (samples[type] ?? 0) + count;
    }
}

interface Rows {
  readonly table: SourceTable;
  /** Tables of which each row has one, which shares its fate. */
  readonly also?: readonly SourceTable[];
  /** The row, or the source of the rows. */
  readonly id: string;
  readonly rows: number;
}

/** Stores what rows became. Every row is counted: as left by the rules or by the store, or as moved. */
async function take(work: Work, { table, also = [], id, rows }: Rows, mapped: Mapped): Promise<void> {
  const { ledger, batch } = work;
  const tables = [table, ...also];
  const at = { id, user_id: work.userId };
  for (const name of tables) {
    ledger.read(name, rows);
    for (const { what, reason, count } of mapped.left)
      ledger.left({ table: name, ...at, what, reason, count });
  }
  for (const { what, reason, count } of mapped.changed) ledger.changed({ table, ...at, what, reason, count });
  let open = rows - mapped.left.reduce((sum, { count }) => sum + count, 0);
  const { provider } = mapped;
  if (provider !== null && batch !== null)
    for (const item of mapped.items) {
      const own = Math.min(open, rowsOf(item));
      open -= own;
      const settle = (reason: LeftReason | null) => {
        for (const name of tables)
          if (reason === null) ledger.moved(name, own);
          else
            ledger.left({
              table: name,
              ...at,
              what: item.data_type,
              reason: leftReasons[reason],
              count: own,
            });
      };
      await batch.add({ provider, item, settle });
    }
  // In a dry run all of them; otherwise rows that several items have in common.
  for (const name of tables) ledger.moved(name, open);
}

const leftReasons: Readonly<Record<LeftReason, string>> = {
  refused: 'the store refused it',
  newer_here: 'what its provider sent here, or a longer night, is kept',
};

const rowsOf = ({ samples }: StoreItem): number => samples.reduce((sum, { at }) => sum + at.length, 0) || 1;

/** Moves the days of the archive, a year at a time. */
async function moveArchive(work: Work, source: SourceRow): Promise<void> {
  const { columns } = work.source;
  if (!columns.has('data_point_series_archive')) return;
  const time = archiveTime(work.source);
  const since = work.since === null ? '' : `and a.${time} >= $2`;
  const values = [source.id, ...(work.since === null ? [] : [work.since])];
  const yearOf = `case when isfinite(a.${time}) then extract(year from a.${time} at time zone 'UTC')::int end`;
  const years = await work.reader.rows<{ year: number | null }>(
    `select distinct ${yearOf} as year from data_point_series_archive a where a.data_source_id = $1 ${since} order by 1`,
    values,
  );
  for (const { year } of years) {
    work.signal.throwIfAborted();
    const rows = await work.reader.rows(
      `select ${selectList(columns, 'data_point_series_archive', 'a')} from data_point_series_archive a
       where a.data_source_id = $1 ${since} and ${yearOf} is not distinct from $${values.length + 1}
       order by a.${time}, a.series_type_definition_id`,
      [...values, year],
    );
    const table = 'data_point_series_archive';
    const archived = readable(work, { table, id: source.id }, ArchiveRow, rows);
    const sampled = await sampledDays(work, source, year);
    const mapped = archiveItems(source, archived, work.definitions, (type, date) =>
      sampled.has(`${type} ${date}`),
    );
    await take(work, { table, id: source.id, rows: archived.length }, mapped);
  }
}

/** The types and UTC days of a year of which samples are there. */
async function sampledDays(
  { reader }: Work,
  { id }: SourceRow,
  year: number | null,
): Promise<ReadonlySet<string>> {
  if (year === null) return new Set();
  const rows = await reader.rows<{ type: number; day: string }>(
    `select distinct series_type_definition_id as type, (recorded_at at time zone 'UTC')::date::text as day
     from data_point_series where data_source_id = $1 and recorded_at >= $2 and recorded_at < $3`,
    [id, new Date(Date.UTC(year, 0, 1)), new Date(Date.UTC(year + 1, 0, 1))],
  );
  return new Set(rows.map(({ type, day }) => `${type} ${day}`));
}

/** The rows that have the form of their table. Others, such as those with an infinite time, are left. */
function readable<Row>(
  { ledger, userId }: Work,
  at: { readonly table: SourceTable; readonly id?: string },
  row: z.ZodType<Row>,
  rows: readonly unknown[],
): Row[] {
  const parsed = rows.flatMap((given) => row.safeParse(given).data ?? []);
  const count = rows.length - parsed.length;
  ledger.read(at.table, count);
  ledger.left({ ...at, user_id: userId, count, reason: 'a column has a value that it should not have' });
  return parsed;
}

/** The records of a source with their details, oldest first. */
export function joinedRecords(
  columns: Columns,
  { id }: SourceRow,
  since: Date | null,
  limit: number | null,
): { readonly statement: string; readonly values: readonly unknown[] } {
  const present = detailTables.filter((table) => columns.has(table));
  const details = present.map(
    (table) => `, case when ${table}.record_id is not null then to_jsonb(${table}) end as ${table}`,
  );
  const joins = present.map((table) => `left join ${table} on ${table}.record_id = e.id`);
  const statement = `select ${selectList(columns, 'event_record', 'e')}${details.join('')}
    from event_record e ${joins.join(' ')}
    where e.data_source_id = $1 ${since === null ? '' : 'and e.end_datetime >= $2'}
    order by e.start_datetime, e.id ${limit === null ? '' : `limit ${limit}`}`;
  return { statement, values: [id, ...(since === null ? [] : [since])] };
}

async function moveRecords(work: Work, source: SourceRow): Promise<void> {
  const { statement, values } = joinedRecords(work.source.columns, source, work.since, null);
  for await (const rows of work.reader.pages(statement, values, pageRows))
    for (const row of readable(work, { table: 'event_record', id: source.id }, RecordRow, rows)) {
      work.signal.throwIfAborted();
      const also = detailTables.filter((name) => row[name] != null);
      await take(
        work,
        { table: 'event_record', also, id: row.id, rows: 1 },
        recordItem(source, row, work.nowMs),
      );
    }
}

async function moveScores(work: Work, sources: ReadonlyMap<string, SourceRow>): Promise<void> {
  const { columns } = work.source;
  const present = columns.get('health_score');
  if (present === undefined) return;
  // The first versions name the source of a score and not the user.
  const isOfUser = present.has('user_id');
  const statement = `select ${selectList(columns, 'health_score', 'h')} from health_score h
    where ${isOfUser ? 'h.user_id = $1' : 'h.data_source_id = any($1)'} ${work.since === null ? '' : 'and h.recorded_at >= $2'}
    order by h.recorded_at, h.id`;
  const values = [isOfUser ? work.userId : [...sources.keys()], ...(work.since === null ? [] : [work.since])];
  for await (const rows of work.reader.pages(statement, values, pageRows))
    for (const row of readable(work, { table: 'health_score' }, ScoreRow, rows)) {
      work.signal.throwIfAborted();
      const source = sources.get(row.data_source_id ?? '') ?? null;
      await take(
        work,
        { table: 'health_score', id: row.id, rows: 1 },
        scoreItem(source, row, work.nowMs, { internal: work.isInternalScores }),
      );
    }
}
