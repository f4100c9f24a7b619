import { type ColumnType, type ColumnValue, columnList } from '../../../../../domain/destinations/columns.ts';
import type { SeriesType } from '../../../../../domain/records/series.ts';
import { dayMs } from '../../../../../domain/time/time.ts';
import type { SampleBatch } from '../../../tables/samples.ts';
import type { TakeRecords, TakeSamples } from '../../copy.ts';
import type { Write } from './client.ts';

/*
 * Rows in PostgreSQL's binary form. PostgreSQL counts from 2000, columns count from 1970.
 */

const header = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
const trailer = Buffer.from([0xff, 0xff]);
const epochUs = 946_684_800_000_000n;
const epochDays = 10_957;
const bytesPerWrite = 64 * 1024;

type Encode = (value: ColumnValue) => Buffer;

function int(value: ColumnValue): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(Number(value));
  return bytes;
}

const text: Encode = (value) => Buffer.from(String(value));

const encoders: Readonly<Record<ColumnType, Encode>> = {
  int,
  text,
  uuid: (value) => Buffer.from(String(value).replaceAll('-', ''), 'hex'),
  json: (value) => Buffer.concat([Buffer.from([1]), text(value)]),
  boolean: (value) => Buffer.from([value === true ? 1 : 0]),
  date: (value) => int(Date.parse(`${value}T00:00:00Z`) / dayMs - epochDays),
  timestamp(value) {
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeBigInt64BE(BigInt(Number(value)) - epochUs);
    return bytes;
  },
  double(value) {
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeDoubleBE(Number(value));
    return bytes;
  },
};

const absent = int(-1);

function field(type: ColumnType, value: ColumnValue): Buffer[] {
  if (value === null) return [absent];
  const bytes = encoders[type](value);
  return [int(bytes.length), bytes];
}

function countOf(fields: number): Buffer {
  const bytes = Buffer.allocUnsafe(2);
  bytes.writeInt16BE(fields);
  return bytes;
}

/** Sends rows, and returns their number. */
export interface RowWriter {
  readonly records: TakeRecords;
  readonly samples: TakeSamples;
}

/** Writes rows in the binary form, between a header and a trailer. */
export async function writeRows(write: Write, send: (writer: RowWriter) => Promise<void>): Promise<number> {
  let waiting: Buffer[] = [header];
  let [bytes, rows] = [0, 0];
  const flush = async () => {
    const all = Buffer.concat(waiting);
    [waiting, bytes] = [[], 0];
    await write(all);
  };
  const add = async (row: Buffer) => {
    waiting.push(row);
    bytes += row.length;
    rows += 1;
    if (bytes >= bytesPerWrite) await flush();
  };
  await send({
    async records(records, kind) {
      const types = columnList(kind).map(({ type }) => type);
      const count = countOf(types.length);
      for (const { values } of records)
        await add(
          Buffer.concat([count, ...types.flatMap((type, index) => field(type, values[index] ?? null))]),
        );
    },
    async samples(batch, type) {
      for (const part of encodeSamples(batch, type)) {
        waiting.push(part);
        await flush();
      }
      rows += batch.rows;
    },
  });
  waiting.push(trailer);
  await flush();
  return rows;
}

const sampleColumns = 9;
/** Bytes of the columns from `time` on, with the lengths before each. */
const numbersBytes = 12 + 8 + 12 + 8;

/** The columns in their order: those of the source are the same bytes for all its rows. */
function* encodeSamples(batch: SampleBatch, type: SeriesType): Generator<Buffer> {
  const sources = batch.sources.map(({ user_id, provider, device, recording_method }) =>
    Buffer.concat([
      countOf(sampleColumns),
      ...field('uuid', user_id),
      ...[provider, device, type, recording_method].flatMap((value) => field('text', value)),
    ]),
  );
  const widest = Math.max(...sources.map(({ length }) => length)) + numbersBytes;
  const perPart = Math.max(1, Math.floor((4 * bytesPerWrite) / widest));
  for (let first = 0; first < batch.rows; first += perPart) {
    const rows = Math.min(perPart, batch.rows - first);
    const bytes = Buffer.allocUnsafe(rows * widest);
    let at = 0;
    for (let n = first; n < first + rows; n += 1) {
      const source = sources[batch.series[n] ?? 0] ?? absent;
      at += source.copy(bytes, at);
      at = writeNumbers(bytes, at, batch, n);
    }
    yield bytes.subarray(0, at);
  }
}

function writeNumbers(bytes: Buffer, start: number, batch: SampleBatch, n: number): number {
  let at = bytes.writeInt32BE(8, start);
  at = bytes.writeBigInt64BE(BigInt(batch.time[n] ?? 0) - epochUs, at);
  if (batch.duration === null) at = bytes.writeInt32BE(-1, at);
  else at = bytes.writeInt32BE(batch.duration[n] ?? 0, bytes.writeInt32BE(4, at));
  at = bytes.writeDoubleBE(batch.value[n] ?? 0, bytes.writeInt32BE(8, at));
  return bytes.writeInt32BE(batch.zone[n] ?? 0, bytes.writeInt32BE(4, at));
}
