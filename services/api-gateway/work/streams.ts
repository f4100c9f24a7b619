import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { z } from 'zod';
import { apiGateway } from '../../../contracts/api-gateway.ts';
import { fhir } from '../../../contracts/fhir.ts';
import { fileImport } from '../../../contracts/file-import.ts';
import type { Sample } from '../../../contracts/timeseries/schemas.ts';
import { parseParams } from '../../../domain/params.ts';
import { formatInstant, type Instant, resolveRange } from '../../../domain/time/time.ts';
import type { Call, Meta } from '../../../runtime/environment.ts';
import { isHead } from './answer.ts';
import { exportFile, exportPoints, exportUser } from './export.ts';
import { type StreamsQuery, streamMediaTypes, streamWorkout } from './workout-streams.ts';

/** An answer of any length: its lines, or the parts of a file, and how they are sent. */
interface Stream {
  readonly lines: AsyncGenerator<unknown>;
  readonly form: LineForm;
}

/** A request for a stream. `onRead` is called with each user whose data is read and whom the request does not name. */
interface StreamRequest {
  readonly action: string;
  readonly call: Call;
  readonly params: unknown;
  readonly meta: Meta;
  readonly onRead: (userId: string) => void;
}

/** The stream that answers a route whose contract states one. @throws VALIDATION_FAILED (422) */
export async function streamOf({ action, call, params, ...request }: StreamRequest): Promise<Stream> {
  if (action === 'fhir.exportFile') {
    const query = parseParams(fhir.actions.exportFile.params, params);
    const form = { contentType: 'application/fhir+ndjson', fileName: query.file };
    return { lines: exportFile({ call, ...request }, query), form };
  }
  if (action === 'api-gateway.download')
    return downloadStream(call, parseParams(apiGateway.actions.download.params, params));
  if (action === 'api-gateway.workoutStreams')
    return workoutStream(call, parseParams(apiGateway.actions.workoutStreams.params, params));
  if (action === 'file-import.original')
    return originalStream(call, parseParams(fileImport.actions.original.params, params));
  const query = parseParams(apiGateway.actions.export.params, params);
  const fileName = `user-${query.user_id}${query.format === 'omh' ? '-omh' : ''}.ndjson`;
  if (query.format === 'omh')
    return { lines: exportPoints(call, query), form: { contentType: ndjsonType, fileName } };
  return { lines: exportUser(call, query), form: { contentType: ndjsonType, fileName } };
}

type OriginalQuery = z.output<typeof fileImport.actions.original.params>;

async function originalStream(call: Call, query: OriginalQuery): Promise<Stream> {
  const { name, bytes } = await call('file-import.original', query);
  const fileName = name ?? `import-${query.import_id}`;
  const form = { contentType: 'application/octet-stream', fileName, bytes };
  return { lines: partsOfOriginal(call, query, bytes), form };
}

async function* partsOfOriginal(call: Call, query: OriginalQuery, bytes: number): AsyncGenerator<Buffer> {
  let sent = 0;
  for (let part = 0; sent < bytes; part += 1) {
    const content = Buffer.from((await call('file-import.originalPart', { ...query, part })).bytes, 'base64');
    sent += content.length;
    if (content.length === 0 || sent > bytes) throw new Error('an original has another length');
    yield content;
  }
}

function workoutStream(call: Call, query: StreamsQuery): Stream {
  const form = { contentType: streamMediaTypes[query.format], toText: String };
  const fileName = `workout-${query.event_id}.${query.format}`;
  const lines = streamWorkout(call, query);
  return { lines, form: { ...form, fileName } };
}

function downloadStream(call: Call, query: DownloadQuery): Stream {
  const samples = downloadSamples(call, query);
  const fileName = `${nameOf(query)}.${query.format}`;
  if (query.format === 'ndjson') return { lines: samples, form: { contentType: ndjsonType, fileName } };
  return { lines: csvLines(samples), form: { contentType: csvType, fileName, toText: String } };
}

// `heart_rate-1min-2026-01-01-2026-01-02`: characters that every file system takes.
function nameOf({ types = [], resolution, start_time, end_time }: DownloadQuery): string {
  const what = types.length === 1 ? types[0] : 'samples';
  return [what, resolution, dateOf(start_time), dateOf(end_time)].join('-');
}

const dateOf = ({ ms }: Instant) => formatInstant(ms).slice(0, 10);

const columns = ['timestamp', 'type', 'value', 'unit', 'provider', 'device', 'recording_method'];

// The first sample is read before the header is sent, so that a failing request is not answered 200.
async function* csvLines(samples: AsyncGenerator<Sample>): AsyncGenerator<string> {
  const first = await samples.next();
  yield csvLine(columns);
  if (first.done === true) return;
  yield csvOf(first.value);
  for await (const sample of samples) yield csvOf(sample);
}

function csvOf({ timestamp, type, value, unit, source, recording_method: method }: Sample): string {
  const from = [harmless(source.provider), harmless(source.device), method ?? ''];
  return csvLine([timestamp, type, value, unit, ...from]);
}

const chunkBytes = 64 * 1024;

/** The media type of JSON values, one a line. */
const ndjsonType = 'application/x-ndjson; charset=utf-8';

/** How lines are sent. */
interface LineForm {
  readonly contentType: string;
  /** Under which name a browser saves them. */
  readonly fileName?: string;
  /** A line with its end; JSON where it is left out. */
  readonly toText?: (line: unknown) => string;
  /** The length of a file. Its parts are sent as they are. */
  readonly bytes?: number;
}

/**
 * Sends lines no faster than the client reads. What fails before the first line is thrown and answered as usual; what
 * fails later can only cut the answer short, which the client sees as such. HEAD is answered with the headers alone.
 */
export async function streamLines(
  res: ServerResponse,
  lines: AsyncGenerator<unknown>,
  { contentType, fileName, toText = toJson, bytes }: LineForm = { contentType: ndjsonType },
  onCut: (error: unknown) => void = () => undefined,
): Promise<void> {
  const first = await lines.next();
  if (fileName !== undefined) res.setHeader('Content-Disposition', dispositionOf(fileName));
  if (bytes !== undefined) res.setHeader('Content-Length', bytes);
  res.writeHead(200, { 'Content-Type': contentType });
  if (isHead(res)) {
    await lines.return(undefined);
    return void res.end();
  }
  try {
    for await (const chunk of chunksOf(first, lines, toText)) if (!(await write(res, chunk))) return;
    res.end();
  } catch (error) {
    onCut(error);
    res.destroy();
  }
}

/** Lines are joined to chunks, because a write for each would cost more than its text. Parts of a file are chunks. */
async function* chunksOf(
  first: IteratorResult<unknown>,
  lines: AsyncGenerator<unknown>,
  toText: (line: unknown) => string,
): AsyncGenerator<string | Buffer> {
  if (first.done === true) return;
  if (Buffer.isBuffer(first.value)) {
    yield first.value;
    for await (const part of lines) if (Buffer.isBuffer(part)) yield part;
    return;
  }
  let pending = toText(first.value);
  for await (const line of lines) {
    pending += toText(line);
    if (pending.length < chunkBytes) continue;
    yield pending;
    pending = '';
  }
  yield pending;
}

/** The header of RFC 6266: a name of plain letters for old clients, and the whole one where it has others. */
function dispositionOf(fileName: string): string {
  const name = fileName.toWellFormed().replaceAll(/[/\\\p{C}]/gu, '_');
  const plain = name.replaceAll(/[^ -~]|["%]/gu, '_');
  const header = `attachment; filename="${plain}"`;
  if (plain === name) return header;
  const escaped = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${header}; filename*=UTF-8''${escaped}`;
}

const toJson = (line: unknown) => `${JSON.stringify(line)}\n`;

// False when the client has gone: nothing more is read for it.
async function write(res: ServerResponse, chunk: string | Buffer): Promise<boolean> {
  if (res.closed || res.destroyed) return false;
  if (res.write(chunk)) return true;
  const gone = new AbortController();
  const leave = () => gone.abort();
  res.once('close', leave);
  try {
    await once(res, 'drain', { signal: gone.signal });
    return true;
  } catch {
    return false;
  } finally {
    res.off('close', leave);
  }
}

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
 * or may not be included. A merge in SQL would read a page of each series for every page that is sent; here every sample is read once.
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
const csvType = 'text/csv; charset=utf-8; header=present';

/** A line of a table, by RFC 4180. */
function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

/** Escapes a text so that a spreadsheet does not evaluate it as a formula: `=A1` becomes `'=A1`. */
function harmless(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function cellOf(cell: string | number): string {
  const text = String(cell);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
