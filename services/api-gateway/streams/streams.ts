import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { apiGateway } from '../../../contracts/api-gateway.ts';
import { fhir } from '../../../contracts/fhir.ts';
import type { Sample } from '../../../contracts/timeseries/schemas.ts';
import { parseParams } from '../../../domain/params.ts';
import { formatInstant, type Instant } from '../../../domain/time/time.ts';
import type { Call, Meta } from '../../../runtime/environment.ts';
import { isHead } from '../pipeline/answer.ts';
import { type StreamsQuery, streamMediaTypes, streamWorkout } from '../workout-streams/stream-workout.ts';
import { csvLine, csvType, type DownloadQuery, downloadSamples, harmless } from './download-samples.ts';
import { exportPoints } from './export-omh.ts';
import { exportFile, exportUser } from './export-user.ts';

/** An answer of any length: its lines, and how they are sent. */
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
export function streamOf({ action, call, params, ...request }: StreamRequest): Stream {
  if (action === 'fhir.exportFile') {
    const query = parseParams(fhir.actions.exportFile.params, params);
    const form = { contentType: 'application/fhir+ndjson', fileName: query.file };
    return { lines: exportFile({ call, ...request }, query), form };
  }
  if (action === 'api-gateway.download')
    return downloadStream(call, parseParams(apiGateway.actions.download.params, params));
  if (action === 'api-gateway.workoutStreams')
    return workoutStream(call, parseParams(apiGateway.actions.workoutStreams.params, params));
  const query = parseParams(apiGateway.actions.export.params, params);
  const fileName = `user-${query.user_id}${query.format === 'omh' ? '-omh' : ''}.ndjson`;
  if (query.format === 'omh')
    return { lines: exportPoints(call, query), form: { contentType: ndjsonType, fileName } };
  return { lines: exportUser(call, query), form: { contentType: ndjsonType, fileName } };
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
}

/**
 * Sends lines no faster than the client reads. What fails before the first line is thrown and answered as usual; what
 * fails later can only cut the answer short, which the client sees as such. HEAD is answered with the headers alone.
 */
export async function streamLines(
  res: ServerResponse,
  lines: AsyncGenerator<unknown>,
  { contentType, fileName, toText = toJson }: LineForm = { contentType: ndjsonType },
): Promise<void> {
  const first = await lines.next();
  if (fileName !== undefined) res.setHeader('Content-Disposition', `attachment; filename="${fileName}"`);
  res.writeHead(200, { 'Content-Type': contentType });
  if (isHead(res)) {
    await lines.return(undefined);
    return void res.end();
  }
  try {
    let pending = first.done === true ? '' : toText(first.value);
    for await (const line of lines) {
      pending += toText(line);
      if (pending.length < chunkBytes) continue;
      if (!(await write(res, pending))) return;
      pending = '';
    }
    res.end(pending);
  } catch {
    res.destroy();
  }
}

const toJson = (line: unknown) => `${JSON.stringify(line)}\n`;

// False when the client has gone: nothing more is read for it.
async function write(res: ServerResponse, text: string): Promise<boolean> {
  if (res.closed || res.destroyed) return false;
  if (res.write(text)) return true;
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
