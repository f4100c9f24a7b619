/** Rows of samples in columns. The arrays have the length of the rows. */
export interface ParsedSamples {
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
export interface SampleParser {
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
export function newSampleParser(isInterval: boolean): SampleParser {
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
