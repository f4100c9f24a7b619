/** The element types of arrays in PostgreSQL's binary format: object id, size in bytes, and how an element is written. */
const elements = {
  int2: { id: 21, bytes: 2, write: (to: Buffer, value: number, at: number) => to.writeInt16BE(value, at) },
  int4: { id: 23, bytes: 4, write: (to: Buffer, value: number, at: number) => to.writeInt32BE(value, at) },
  float8: {
    id: 701,
    bytes: 8,
    write: (to: Buffer, value: number, at: number) => to.writeDoubleBE(value, at),
  },
  /** Given in milliseconds since 1970. */
  timestamptz: { id: 1184, bytes: 8, write: writeInstant },
} as const;

/** The name of an element type. */
export type NumberElement = keyof typeof elements;

const headerBytes = 20;
const lengthBytes = 4;

/** An array parameter without nulls. pg sends a Buffer as binary: neither side converts numbers to or from text. */
export function binaryArray(element: NumberElement, values: readonly number[]): Buffer {
  const { id, bytes, write } = elements[element];
  const array = Buffer.allocUnsafe(headerBytes + values.length * (lengthBytes + bytes));
  const header = [1, 0, id, values.length, 1]; // dimensions, whether there are nulls, element type, length, lower bound
  header.forEach((field, index) => {
    array.writeInt32BE(field, index * 4);
  });
  let at = headerBytes;
  for (const value of values) {
    array.writeInt32BE(bytes, at);
    write(array, value, at + lengthBytes);
    at += lengthBytes + bytes;
  }
  return array;
}

const startMs = Date.UTC(2000, 0, 1);
const half = 2 ** 32;

// Microseconds since 2000, which a number holds without loss for 285 years.
function writeInstant(to: Buffer, ms: number, at: number): number {
  const microseconds = Math.round((ms - startMs) * 1000);
  const high = Math.floor(microseconds / half);
  to.writeInt32BE(high, at);
  return to.writeUInt32BE(microseconds - high * half, at + lengthBytes);
}

/** An array parameter of numbers or UUIDs. pg quotes every element of an array; joining takes a fifth of the time. */
export function arrayText(values: readonly (number | string)[]): string {
  return `{${values.join(',')}}`;
}

/** Columns of rows, as array parameters. */
export function columnsOf<Row, Name extends keyof Row>(
  rows: readonly Row[],
  ...names: readonly Name[]
): Row[Name][][] {
  return names.map((name) => rows.map((row) => row[name]));
}
