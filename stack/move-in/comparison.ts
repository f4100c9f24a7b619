import { z } from 'zod';
import { isError } from '../../domain/errors.ts';
import type { StoreItem } from '../../domain/records/records.ts';
import { isSeriesType } from '../../domain/records/series.ts';
import { dayMs } from '../../domain/time/time.ts';
import type { Call } from '../../runtime/environment.ts';
import { isErased } from './owners.ts';
import { sampleItems } from './rules/items.ts';
import type { Mapped } from './rules/mapped.ts';
import { recordItem } from './rules/records.ts';
import { RecordRow, SampleRow, type SeriesDefinition, SourceRow } from './rules/rows.ts';
import type { Reader, Source } from './source.ts';
import { selectList } from './source-tables.ts';
import { joinedRecords, type SampleCounts } from './user-data.ts';

// Both sides after the run: samples by user and type are counted, and random samples and the records of random users are read here as
// an application reads them, and compared with what the rules make of the source now.

/** A difference, without a value. */
interface Difference {
  readonly user_id: string;
  readonly what: string;
  readonly id?: string | undefined;
  readonly reason: string;
}

/** How many of something were compared, and how many are equal. */
export interface Compared {
  readonly compared: number;
  readonly equal: number;
  readonly differences: readonly Difference[];
}

/** The comparison of both sides. */
export interface Comparison {
  /** Numbers of samples, by user and type. */
  readonly counts: Compared;
  readonly samples: Compared;
  readonly records: Compared;
}

/** What is compared. */
export interface Comparing {
  readonly source: Source;
  readonly call: Call;
  readonly definitions: ReadonlyMap<number, SeriesDefinition>;
  /** The samples of each user as they should be, by type. */
  readonly samples: ReadonlyMap<string, SampleCounts>;
  readonly since: Date | null;
  readonly signal: AbortSignal;
}

const countedUsers = 500;
const readUsers = 20;
const samplesPerUser = 50;
const recordsPerUser = 200;
const mostDifferences = 1000;

/** Compares both sides. Users who were deleted here meanwhile are left out. */
export async function compare(comparing: Comparing): Promise<Comparison> {
  const users = shuffled([...comparing.samples.keys()]);
  const [counts, samples, records] = [new Tally(), new Tally(), new Tally()];
  for (const userId of users.slice(0, countedUsers))
    await unlessErased(() => compareCounts(comparing, userId, counts));
  for (const userId of users.slice(0, readUsers))
    await unlessErased(() =>
      comparing.source.reading(async (reader) => {
        const sources = await sourcesOf(comparing.source, reader, userId);
        await compareSamples(comparing, reader, sources, samples);
        await compareRecords(comparing, reader, sources, records);
      }),
    );
  return { counts: counts.result(), samples: samples.result(), records: records.result() };
}

async function unlessErased(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isErased(error)) throw error;
  }
}

class Tally {
  #compared = 0;
  #equal = 0;
  readonly #differences: Difference[] = [];

  note(difference: Difference | null): void {
    this.#compared += 1;
    if (difference === null) this.#equal += 1;
    else if (this.#differences.length < mostDifferences) this.#differences.push(difference);
  }

  result(): Compared {
    return { compared: this.#compared, equal: this.#equal, differences: this.#differences };
  }
}

const isoOf = (ms: number) => new Date(ms).toISOString();
const everything = { start_time: '1990-01-01', end_time: isoOf(Date.now() + 2 * dayMs) };

async function compareCounts(
  { call, samples, signal }: Comparing,
  userId: string,
  tally: Tally,
): Promise<void> {
  for (const [type, expected] of Object.entries(samples.get(userId) ?? {})) {
    if (!isSeriesType(type)) continue;
    signal.throwIfAborted();
    const page = await call('timeseries.samples', {
      user_id: userId,
      ...everything,
      types: [type],
      limit: 1,
    });
    const here = page.pagination.total_count ?? 0;
    const difference = { user_id: userId, what: type };
    if (here === expected) tally.note(null);
    else if (here > expected)
      tally.note({
        ...difference,
        reason: `${here - expected} more here: data that did not come from the move`,
      });
    else tally.note({ ...difference, reason: `${expected - here} fewer here` });
  }
}

async function sourcesOf(source: Source, reader: Reader, userId: string): Promise<SourceRow[]> {
  const list = selectList(source.columns, 'data_source', 's');
  return z
    .array(SourceRow)
    .parse(
      await reader.rows(`select ${list} from data_source s where s.user_id = $1 order by s.id`, [userId]),
    );
}

const PickedRow = SampleRow.extend({ data_source_id: z.string() });

async function compareSamples(
  { source, call, definitions, since, signal }: Comparing,
  reader: Reader,
  sources: readonly SourceRow[],
  tally: Tally,
): Promise<void> {
  const rows = await reader.rows(
    `select ${selectList(source.columns, 'data_point_series', 'p')} from data_point_series p
     where p.data_source_id = any($1) and isfinite(p.recorded_at) ${since === null ? '' : 'and p.recorded_at >= $2'} order by random() limit ${samplesPerUser}`,
    [sources.map(({ id }) => id), ...(since === null ? [] : [since])],
  );
  for (const row of z.array(PickedRow).parse(rows)) {
    signal.throwIfAborted();
    const own = sources.find(({ id }) => id === row.data_source_id);
    if (own === undefined) continue;
    for (const sample of samplesOf(sampleItems(own, [row], definitions, Date.now())))
      tally.note(await differenceOf(call, own.user_id, sample));
  }
}

interface ExpectedSample {
  readonly provider: string;
  readonly type: StoreItem['samples'][number]['type'];
  readonly device: string;
  readonly ms: number;
  readonly value: number;
}

function samplesOf({ provider, items }: Mapped): ExpectedSample[] {
  if (provider === null) return [];
  return items.flatMap(({ samples }) =>
    samples.flatMap(({ type, device, base_ms, at, values }) =>
      at.map((ms, index) => ({
        provider,
        type,
        device,
        ms: base_ms + ms,
        value: values[index] ?? Number.NaN,
      })),
    ),
  );
}

// Values are stored with seven digits or more.
const isSame = (a: number, b: number) => Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a));

async function differenceOf(call: Call, userId: string, sample: ExpectedSample): Promise<Difference | null> {
  const range = { start_time: isoOf(sample.ms), end_time: isoOf(sample.ms + 1) };
  const page = await call('timeseries.samples', {
    user_id: userId,
    ...range,
    types: [sample.type],
    limit: 100,
  });
  const ofProvider = page.data.filter(({ source }) => source.provider === sample.provider);
  if (ofProvider.some(({ value }) => isSame(value, sample.value))) return null;
  const difference = { user_id: userId, what: sample.type };
  if (ofProvider.length === 0) return { ...difference, reason: `no sample at ${range.start_time}` };
  return { ...difference, reason: `another value of the same provider at ${range.start_time}` };
}

async function compareRecords(
  { source, call, since, signal }: Comparing,
  reader: Reader,
  sources: readonly SourceRow[],
  tally: Tally,
): Promise<void> {
  for (const own of sources) {
    const { statement, values } = joinedRecords(source.columns, own, since, recordsPerUser);
    for (const given of await reader.rows(statement, values)) {
      signal.throwIfAborted();
      const row = RecordRow.safeParse(given).data;
      if (row === undefined) continue;
      for (const item of recordItem(own, row, Date.now()).items) {
        const times = recordTimes(item);
        if (times !== null) tally.note(await recordDifference(call, own.user_id, row.id, times));
      }
    }
  }
}

interface RecordTimes {
  readonly kind: 'workout' | 'sleep' | 'other';
  readonly start_ms: number;
  readonly end_ms: number;
}

function recordTimes({ workout, sleeps, other }: StoreItem): RecordTimes | null {
  const [sleep] = sleeps;
  if (workout !== null) return { kind: 'workout', ...workout };
  if (sleep !== undefined) return { kind: 'sleep', ...sleep };
  return other === null ? null : { kind: 'other', ...other };
}

const readers = {
  workout: 'timeseries.workout',
  sleep: 'timeseries.sleep',
  other: 'timeseries.other',
} as const satisfies Record<RecordTimes['kind'], string>;

async function recordDifference(
  call: Call,
  userId: string,
  id: string,
  { kind, start_ms, end_ms }: RecordTimes,
): Promise<Difference | null> {
  const difference = { user_id: userId, what: kind, id };
  try {
    const record = await call(readers[kind], { user_id: userId, event_id: id });
    const isEqual = Date.parse(record.start_time) === start_ms && Date.parse(record.end_time) === end_ms;
    return isEqual ? null : { ...difference, reason: 'other times: the version of its provider is kept' };
  } catch (error) {
    if (!isError(error, 'RECORD_NOT_FOUND')) throw error;
    return {
      ...difference,
      reason: 'not listed: another record of the same time counts, or it was deleted here',
    };
  }
}

function shuffled<T>(all: readonly T[]): T[] {
  const random = all.map((one) => ({ one, at: Math.random() }));
  return random.sort((a, b) => a.at - b.at).map(({ one }) => one);
}
