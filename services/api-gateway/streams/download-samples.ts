import type { z } from 'zod';
import type { apiGateway } from '../../../contracts/api-gateway.ts';
import type { Sample } from '../../../contracts/timeseries/schemas.ts';
import { formatInstant, resolveRange } from '../../../domain/time/time.ts';
import type { Call } from '../../../runtime/environment.ts';

/** The parameters of a download. */
export type DownloadQuery = z.output<typeof apiGateway.actions.download.params>;

/** The approximate number of samples that a download holds in memory. */
const mostHeld = 20_000;
const mostPerCall = 5000;
const leastPerCall = 200;
const callsAtOnce = 4;

/**
 * The samples of a user in a range, oldest first, equal times by series. Each series is read one page ahead, and a sample
 * is sent when no earlier one is left to read. The result is no snapshot: samples that are stored during the download may
 * or may not be included.
 * @throws RANGE_INVALID (422), USER_NOT_FOUND (404) before the first sample.
 */
export async function* downloadSamples(call: Call, query: DownloadQuery): AsyncGenerator<Sample> {
  const readers = await readersOf(call, query);
  if (readers.length === 0) await call('users.get', { user_id: query.user_id });
  for (let left = readers; left.length > 0; left = left.filter(({ isDone }) => !isDone)) {
    await readDry(left);
    const knownUntil = Math.min(...left.map((reader) => reader.knownUntil));
    const ready = left.flatMap((reader) => reader.takeUntil(knownUntil));
    for (const one of ready.sort(inOrder)) yield toWire(one);
  }
}

interface Series {
  readonly series_id: number;
  readonly type: Sample['type'];
  readonly unit: string;
  readonly source: Sample['source'];
  readonly recording_method?: Sample['recording_method'];
}

async function readersOf(call: Call, query: DownloadQuery): Promise<SeriesReader<Series>[]> {
  const { user_id, start_time, end_time, types = null, resolution } = query;
  const { startMs, endMs } = resolveRange(start_time, end_time, ['start_time', 'end_time']);
  const range = { user_id, start_ms: startMs, end_ms: endMs, resolution };
  const found = await call('timeseries.seriesInRange', { ...range, types });
  const share = Math.floor(mostHeld / Math.max(found.length, 1));
  const limit = Math.max(leastPerCall, Math.min(mostPerCall, share));
  return found.map((series) => {
    const { series_id } = series;
    return new SeriesReader(series, (after) =>
      call('timeseries.readSeries', { ...range, series_id, after, limit }),
    );
  });
}

// The calls are limited, because a user may have many series.
async function readDry(readers: readonly SeriesReader<Series>[]): Promise<void> {
  const dry = readers.filter(({ isDry }) => isDry);
  for (let from = 0; from < dry.length; from += callsAtOnce)
    await Promise.all(dry.slice(from, from + callsAtOnce).map((reader) => reader.readNext()));
}

function inOrder(a: SeriesSample<Series>, b: SeriesSample<Series>): number {
  return a.at - b.at || a.series.series_id - b.series.series_id;
}

function toWire({ series, at, value }: SeriesSample<Series>): Sample {
  const { type, unit, source, recording_method: method } = series;
  const sample = { timestamp: formatInstant(Math.floor(at / 1000)), type, value, unit, source };
  return method === undefined ? sample : { ...sample, recording_method: method };
}

/** A page of one series: times in microseconds since 1970; `next` is null on the last one. */
interface SeriesPage {
  readonly at: readonly number[];
  readonly values: readonly number[];
  readonly next: number | null;
}

/** A sample of a series, or a bucket. */
interface SeriesSample<T> {
  readonly series: T;
  readonly at: number;
  readonly value: number;
}

/** Reads one series page by page and buffers the rest of the current page. */
class SeriesReader<T> {
  readonly series: T;
  readonly #readPage: (after: number | null) => Promise<SeriesPage>;
  #page: SeriesPage = { at: [], values: [], next: null };
  #taken = 0;
  #isStarted = false;

  constructor(series: T, readPage: (after: number | null) => Promise<SeriesPage>) {
    this.series = series;
    this.#readPage = readPage;
  }

  /** The page is consumed, and there is another one. */
  get isDry(): boolean {
    return this.#taken >= this.#page.at.length && !this.#isLastPage;
  }

  /** The series is consumed. */
  get isDone(): boolean {
    return this.#taken >= this.#page.at.length && this.#isLastPage;
  }

  /** The instant up to which the series was read; later pages contain later samples only. */
  get knownUntil(): number {
    return this.#isLastPage ? Number.POSITIVE_INFINITY : (this.#page.at.at(-1) ?? Number.NEGATIVE_INFINITY);
  }

  get #isLastPage(): boolean {
    return this.#isStarted && this.#page.next === null;
  }

  /** Reads the next page in place of the one that was taken. */
  async readNext(): Promise<void> {
    this.#page = await this.#readPage(this.#page.next);
    this.#isStarted = true;
    this.#taken = 0;
  }

  /** Takes the samples that are not later than an instant. */
  takeUntil(instant: number): SeriesSample<T>[] {
    const { at, values } = this.#page;
    const first = this.#taken;
    while (this.#taken < at.length && (at[this.#taken] ?? 0) <= instant) this.#taken += 1;
    return at.slice(first, this.#taken).map((one, index) => {
      return { series: this.series, at: one, value: values[first + index] ?? 0 };
    });
  }
}

/** The media type of a table whose first line names its columns. */
export const csvType = 'text/csv; charset=utf-8; header=present';

/** A line of a table, by RFC 4180. */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

/** Escapes a text so that a spreadsheet does not evaluate it as a formula: `=A1` becomes `'=A1`. */
export function harmless(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function cellOf(cell: string | number): string {
  const text = String(cell);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
