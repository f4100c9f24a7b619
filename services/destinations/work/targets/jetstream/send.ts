import { createHash } from 'node:crypto';
import { columnList, type RecordKind } from '../../../../../domain/destinations/columns.ts';
import { TargetError } from '../../../../../domain/destinations/target-errors.ts';
import type { ReadRecord } from '../../../tables/records.ts';
import type { SampleBatch, SeriesSource } from '../../../tables/samples.ts';
import { generationOf, type KeyColumn, type ReplacedKey } from '../../copy.ts';
import type { Run } from '../target.ts';
import type { JetstreamSettings, Message, StreamClient } from './client.ts';

/** What a message is about. */
interface About {
  readonly action: 'replace' | 'delete' | 'erase' | 'complete';
  readonly sequence: string;
  readonly kind?: 'sample' | RecordKind;
  /** The series type, or the kind of records. The last token but one of the subject. */
  readonly type: string;
  readonly user_id?: string;
  /** Values that all rows have. */
  readonly common?: Readonly<Record<string, unknown>>;
  /** Rows that the message replaces: all with these values, in this span, or with one of these keys. */
  readonly replaces?: Readonly<Record<string, unknown>>;
  readonly columns?: readonly string[];
}

/** Makes messages and sends them. */
export interface Publisher {
  /** The bytes that the rows of a message may have together. */
  readonly rowBytes: number;
  /** `rows` are JSON texts. */
  send(about: About, rows?: readonly string[]): Promise<void>;
}

/** Rows are sent in messages of about this size, or of the size that the stream takes. V8 frees texts of more than 128 KiB late. */
const wantedBytes = 126 * 1024;
/** What a message has besides its rows and keys, at most. */
const headBytes = 2048;

/** A publisher for a part of a destination. */
export function publisherOf(
  { destination }: Run,
  settings: JetstreamSettings,
  client: StreamClient,
): Publisher {
  const { id: destination_id, project_id, version } = destination;
  // A copy that has not begun yet gets this version as its number.
  const generation = generationOf(destination) ?? version;
  return {
    rowBytes: Math.min(wantedBytes, client.mostBytes) - headBytes,
    async send({ type, sequence, user_id, ...rest }, rows) {
      const head = JSON.stringify({
        version: 1,
        destination_id,
        generation,
        sequence,
        type,
        ...(user_id === undefined ? {} : { user_id }),
        ...rest,
      });
      const body = Buffer.from(
        rows === undefined ? head : `${head.slice(0, -1)},"rows":[${rows.join(',')}]}`,
      );
      if (body.length > client.mostBytes) throw new TargetError('too_large');
      const subject = subjectOf(settings, project_id, type, rest.action === 'erase' ? undefined : user_id);
      await client.publish({ subject, id: idOf(destination_id, sequence, body), body });
    },
  };
}

/** The subject of a type, and of a user where there is one: `*` stands for all. */
export function subjectOf(
  { subject_prefix }: Pick<JetstreamSettings, 'subject_prefix'>,
  project: string,
  type: string,
  user: string | undefined,
): string {
  return [subject_prefix, project, type, ...(user === undefined ? [] : [user])].join('.');
}

// A repeated part may have other rows, because the data has changed meanwhile. Such messages have other ids.
function idOf(destinationId: string, sequence: string, body: Buffer): Message['id'] {
  return `${destinationId}:${sequence}:${createHash('sha256').update(body).digest('base64url').slice(0, 22)}`;
}

/** The names of the columns of samples that differ from row to row. */
const sampleColumns = ['time', 'duration_ms', 'value', 'zone_offset_minutes'] as const;

/** The names of the columns of records. */
function recordColumns(kind: RecordKind): readonly string[] {
  return columnList(kind).map(({ name }) => name);
}

interface Row {
  readonly user_id: string;
  readonly key: string;
  readonly text: string;
}

function recordRow(kind: RecordKind, column: KeyColumn, { values }: ReadRecord): Row {
  const textOf = (name: string) => String(values[columnList(kind).findIndex((one) => one.name === name)]);
  return { user_id: textOf('user_id'), key: textOf(column), text: JSON.stringify(values) };
}

/** Sends the records of keys of one kind: with the keys that have any, and the keys that have none, in messages of bounded size. */
export async function sendReplaced(
  publisher: Publisher,
  kind: RecordKind,
  column: KeyColumn,
  keys: readonly ReplacedKey[],
  records: readonly ReadRecord[],
): Promise<void> {
  const placed = (one: Pick<Row, 'user_id' | 'key'>) => `${one.user_id} ${one.key}`;
  const rows = Map.groupBy(
    records.map((record) => recordRow(kind, column, record)),
    placed,
  );
  const byUser = Map.groupBy(keys, (one) => `${one.user_id} ${rows.has(placed(one))}`);
  for (const own of byUser.values()) {
    let [waiting, bytes]: [ReplacedKey[], number] = [[], 0];
    const send = async () => {
      await sendKeys(
        publisher,
        kind,
        column,
        waiting,
        waiting.flatMap((one) => rows.get(placed(one)) ?? []),
      );
      [waiting, bytes] = [[], 0];
    };
    for (const key of own) {
      const texts = rows.get(placed(key)) ?? [];
      const more = texts.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, key.key.length + 3);
      if (waiting.length > 0 && bytes + more > publisher.rowBytes) await send();
      waiting.push(key);
      bytes += more;
    }
    await send();
  }
}

function sendKeys(
  publisher: Publisher,
  kind: RecordKind,
  column: KeyColumn,
  keys: readonly ReplacedKey[],
  rows: readonly Row[],
): Promise<void> {
  const sequence = keys
    .map(({ sequence }) => BigInt(sequence))
    .reduce((one, other) => (one > other ? one : other), 0n);
  const [first] = keys;
  return publisher.send(
    {
      action: rows.length === 0 ? 'delete' : 'replace',
      kind,
      type: kind,
      sequence: String(sequence),
      ...(first === undefined ? {} : { user_id: first.user_id }),
      replaces: { column, values: keys.map(({ key }) => key) },
      columns: recordColumns(kind),
    },
    rows.map(({ text }) => text),
  );
}

/** Sends records that are copied: each replaces the one of its id. */
export function sendCopied(
  publisher: Publisher,
  kind: RecordKind,
  sequence: string,
  records: readonly ReadRecord[],
): Promise<void> {
  const column = kind === 'user' ? 'user_id' : 'id';
  const keys = records.map((record) => ({ ...recordRow(kind, column, record), kind, sequence }));
  return sendReplaced(publisher, kind, column, keys, records);
}

/** Collects rows of samples, and sends them in messages of bounded size. */
interface SampleSender {
  /** Adds the row `n` of a batch. Rows come in the order of their times. Returns what to wait for before the next one, if anything. */
  add(batch: SampleBatch, n: number): Promise<void> | undefined;
  end(): Promise<void>;
}

// V8 caches the text of a number in a template, but not that of `toFixed`: all times differ, and 60 MB of them were kept.
function sampleRow(batch: SampleBatch, n: number): string {
  const { time, value, zone, duration } = batch;
  return `[${(time[n] ?? 0).toFixed(0)},${duration === null ? 'null' : duration[n]},${value[n]},${zone[n]}]`;
}

/** The source of samples and the span in it that is replaced. Microseconds since 1970, both included; null: no bound. */
interface SentSpan {
  readonly source: SeriesSource;
  readonly type: string;
  readonly sequence: string;
  readonly first: number | null;
  readonly last: number | null;
}

/**
 * Sends the samples of a span. Each message replaces a part of it, from `start` on and before `end`, and the parts have nothing in
 * common: a message may be repeated, also alone. Samples of one time are in one message.
 */
export function spanSender(publisher: Publisher, span: SentSpan): SampleSender {
  const { source, type, sequence, first, last } = span;
  const { user_id, provider, device, recording_method } = source;
  const about = {
    kind: 'sample',
    sequence,
    type,
    user_id,
    columns: sampleColumns,
    common: { user_id, provider, device, type, recording_method },
  } as const;
  let start = first;
  let [rows, bytes, latest]: [string[], number, number | null] = [[], 0, null];
  const send = (end: number | null) => {
    const action = rows.length === 0 ? 'delete' : 'replace';
    const sent = publisher.send({ ...about, action, replaces: { start, end } }, rows);
    [start, rows, bytes] = [end, [], 0];
    return sent;
  };
  return {
    add(batch, n) {
      const time = batch.time[n] ?? 0;
      const row = sampleRow(batch, n);
      const isFull = bytes + row.length > publisher.rowBytes && time !== latest;
      const sent = isFull ? send(time) : undefined;
      rows.push(row);
      bytes += row.length + 1;
      latest = time;
      return sent;
    },
    end: () => send(last === null ? null : last + 1),
  };
}

/** Sends samples of many sources, source by source. `spanAt` is the span of an index in `series`. */
export function sourcesSender(publisher: Publisher): {
  add(batch: SampleBatch, spanAt: (index: number) => Omit<SentSpan, 'source'>): Promise<void>;
  end(): Promise<void>;
} {
  let current: SampleSender | null = null;
  let last: SeriesSource | null = null;
  return {
    async add(batch, spanAt) {
      for (let n = 0; n < batch.rows; n += 1) {
        const index = batch.series[n] ?? 0;
        const source = batch.sources[index];
        if (source === undefined) continue;
        if (source !== last) await current?.end();
        if (current === null || source !== last)
          current = spanSender(publisher, { ...spanAt(index), source });
        last = source;
        const sent = current.add(batch, n);
        if (sent !== undefined) await sent;
      }
    },
    end: async () => current?.end(),
  };
}
