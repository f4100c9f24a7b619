/*
 * Writes FIT files message by message, also ones that no device would write: fields of any type and size, compressed headers,
 * developers' fields, wrong checksums.
 */

/** A field of a definition: its number, its type, and its size if that is not the one of the type. */
export type FitFieldSpec = readonly [number: number, type: FitType, size?: number];

const types = {
  enum: [0x00, 1],
  sint8: [0x01, 1],
  uint8: [0x02, 1],
  string: [0x07, 1],
  byte: [0x0d, 1],
  sint16: [0x83, 2],
  uint16: [0x84, 2],
  sint32: [0x85, 4],
  uint32: [0x86, 4],
  float32: [0x88, 4],
  uint32z: [0x8c, 4],
} as const;
type FitType = keyof typeof types;

/** The value of a field; a list fills one of several numbers. */
type Value = number | string | readonly number[];

/** Seconds of the time of FIT. */
export const fitTime = (iso: string): number => Date.parse(iso) / 1000 - 631_065_600;

/** Degrees as a position is stored. */
export const semicircles = (degrees: number): number => Math.round((degrees * 2 ** 31) / 180);

interface Layout {
  readonly isBig: boolean;
  readonly specs: readonly FitFieldSpec[];
}

/** Gathers messages; `bytes` makes a file of them. */
export class FitWriter {
  readonly #pieces: Buffer[] = [];
  readonly #layouts = new Map<number, Layout>();

  /** A definition. `developers`: number, size and developer of their fields, whose values follow as bytes. */
  define(
    local: number,
    message: number,
    specs: readonly FitFieldSpec[],
    {
      isBig = false,
      developers = [],
    }: { isBig?: boolean; developers?: readonly (readonly [number, number, number])[] } = {},
  ): this {
    const head = Buffer.from([
      0x40 | (developers.length > 0 ? 0x20 : 0) | local,
      0,
      isBig ? 1 : 0,
      0,
      0,
      specs.length,
    ]);
    if (isBig) head.writeUInt16BE(message, 3);
    else head.writeUInt16LE(message, 3);
    const fields = specs.flatMap(([number, type, size]) => [number, size ?? types[type][1], types[type][0]]);
    const own = developers.length === 0 ? [] : [developers.length, ...developers.flat()];
    this.#layouts.set(local, { isBig, specs });
    return this.raw([...head, ...fields, ...own]);
  }

  /** A data message of a definition; a list fills a field of several numbers. */
  data(local: number, values: readonly Value[], developers: readonly number[] = []): this {
    return this.#data(local, local, values, developers);
  }

  /** A data message whose header has the lower five bits of its time. */
  compressed(local: number, time: number, values: readonly Value[]): this {
    return this.#data(0x80 | (local << 5) | (time & 31), local, values, []);
  }

  /** A definition with its only message: number, type and value of each field, and its size. */
  message(
    message: number,
    fields: readonly (readonly [number: number, type: FitType, value: Value, size?: number])[],
  ): this {
    const specs = fields.map(([number, type, , size = types[type][1]]) => [number, type, size] as const);
    return this.define(15, message, specs).data(
      15,
      fields.map(([, , value]) => value),
    );
  }

  /** Bytes as they are. */
  raw(bytes: readonly number[] | Buffer): this {
    this.#pieces.push(Buffer.from(bytes));
    return this;
  }

  /** The file with its header and checksum. */
  bytes(): Buffer {
    const messages = Buffer.concat(this.#pieces);
    const header = Buffer.alloc(14);
    header.set([14, 0x20, 0x54, 0x08]);
    header.writeUInt32LE(messages.length, 4);
    header.write('.FIT', 8, 'latin1');
    header.writeUInt16LE(crcOf(header.subarray(0, 12)), 12);
    const whole = Buffer.concat([header, messages]);
    const checksum = Buffer.alloc(2);
    checksum.writeUInt16LE(crcOf(whole));
    return Buffer.concat([whole, checksum]);
  }

  #data(header: number, local: number, values: readonly Value[], developers: readonly number[]): this {
    const layout = this.#layouts.get(local);
    if (layout === undefined) throw new Error(`no definition ${local}`);
    const fields = layout.specs.map((spec, index) => fieldBytes(spec, values[index] ?? 0, layout.isBig));
    return this.raw(Buffer.concat([Buffer.from([header]), ...fields, Buffer.from(developers)]));
  }
}

function fieldBytes([, type, size = types[type][1]]: FitFieldSpec, value: Value, isBig: boolean): Buffer {
  const bytes = Buffer.alloc(size);
  if (typeof value === 'string') {
    bytes.write(value, 'utf8');
    return bytes;
  }
  const numbers = typeof value === 'number' ? [value] : value;
  const width = types[type][1];
  const view = new DataView(bytes.buffer, bytes.byteOffset, size);
  for (const [index, number] of numbers.entries()) {
    const at = index * width;
    if (at + width > size) break;
    if (type === 'float32') view.setFloat32(at, number, !isBig);
    else if (width === 4) view.setUint32(at, number >>> 0, !isBig);
    else if (width === 2) view.setUint16(at, number & 0xffff, !isBig);
    else view.setUint8(at, number & 0xff);
  }
  return bytes;
}

function crcOf(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
}
