/*
 * The binary form of FIT: a file is a header, messages and a checksum. A definition message states the layout of the data messages of
 * its local type that follow.
 */

/** A file of the bytes. */
export interface Header {
  /** Where the file begins, its messages, and its checksum. The last one is behind the bytes if the file is cut off. */
  readonly at: number;
  readonly begin: number;
  readonly end: number;
}

const leastHeader = 12;
const wholeHeader = 14;

const isHeader = (bytes: Buffer, at: number) => bytes.toString('latin1', at + 8, at + 12) === '.FIT';

/** The header at a position; null if no file begins there. */
export function headerAt(bytes: Buffer, at: number): Header | null {
  if (!isHeader(bytes, at)) return null;
  const begin = at + (bytes[at] === leastHeader ? leastHeader : wholeHeader);
  const size = bytes.readUInt32LE(at + 4);
  const end = begin + size;
  // A device that stopped before it wrote the size leaves 0 or the largest number there.
  const isUnwritten = size === 0xffffffff || (size === 0 && !isHeader(bytes, end + 2));
  const isOpen = isUnwritten || isTooShort(bytes, { at, begin, end });
  return { at, begin, end: isOpen ? Math.max(begin, bytes.length - 2) : end };
}

/** Whether messages follow the stated end: what stands there is neither the checksum nor another file. */
function isTooShort(bytes: Buffer, { at, end }: Header): boolean {
  const next = end + 2;
  if (next >= bytes.length || isHeader(bytes, next)) return false;
  return !isPadding(bytes, next) && bytes.readUInt16LE(end) !== crcOf(bytes, at, end);
}

/** Whether only zeros, or only ones, follow. */
export function isPadding(bytes: Buffer, at: number): boolean {
  const first = bytes[at];
  return (first === 0 || first === 0xff) && bytes.subarray(at).every((byte) => byte === first);
}

/** What is wrong with the checksums of a file, as sentences. */
export function checksumFaults(bytes: Buffer, { at, begin, end }: Header): string[] {
  const ofHeader = begin - at === wholeHeader ? bytes.readUInt16LE(at + leastHeader) : 0;
  const faults: string[] = [];
  if (ofHeader !== 0 && ofHeader !== crcOf(bytes, at, at + leastHeader))
    faults.push('The checksum of the header of the FIT file is wrong.');
  if (end + 2 > bytes.length) faults.push('The checksum of the FIT file is missing.');
  else if (bytes.readUInt16LE(end) !== crcOf(bytes, at, end))
    faults.push('The checksum of the FIT file is wrong.');
  return faults;
}

/** CRC-16 with the polynomial 0xA001, of each byte. */
const crcTable = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  return crc;
});

function crcOf(bytes: Buffer, from: number, to: number): number {
  let crc = 0;
  for (let at = from; at < to; at += 1) crc = (crc >> 8) ^ (crcTable[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  return crc;
}

/** How the numbers of a base type are stored. */
interface BaseType {
  readonly size: number;
  readonly invalid: number;
  readonly read: (bytes: Buffer, at: number, isLittle: boolean) => number;
}

const either =
  (
    little: 'readInt16LE' | 'readUInt16LE' | 'readInt32LE' | 'readUInt32LE' | 'readFloatLE' | 'readDoubleLE',
  ) =>
  (bytes: Buffer, at: number, isLittle: boolean): number =>
    isLittle ? bytes[little](at) : bytes[bigOf[little]](at);
const bigOf = {
  readInt16LE: 'readInt16BE',
  readUInt16LE: 'readUInt16BE',
  readInt32LE: 'readInt32BE',
  readUInt32LE: 'readUInt32BE',
  readFloatLE: 'readFloatBE',
  readDoubleLE: 'readDoubleBE',
} as const;
const readByte = (bytes: Buffer, at: number) => bytes[at] ?? 0;
const read64 = (bytes: Buffer, at: number, isLittle: boolean) =>
  Number(isLittle ? bytes.readBigInt64LE(at) : bytes.readBigInt64BE(at));
const readU64 = (bytes: Buffer, at: number, isLittle: boolean) =>
  Number(isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));

/** The base types of texts and of bytes. */
export const text = 7;
export const bytesType = 13;

/** The base types by the lower five bits of their numbers. */
export const baseTypes: readonly BaseType[] = [
  { size: 1, invalid: 0xff, read: readByte },
  { size: 1, invalid: 0x7f, read: (bytes, at) => bytes.readInt8(at) },
  { size: 1, invalid: 0xff, read: readByte },
  { size: 2, invalid: 0x7fff, read: either('readInt16LE') },
  { size: 2, invalid: 0xffff, read: either('readUInt16LE') },
  { size: 4, invalid: 0x7fffffff, read: either('readInt32LE') },
  { size: 4, invalid: 0xffffffff, read: either('readUInt32LE') },
  { size: 1, invalid: 0, read: readByte },
  { size: 4, invalid: Number.NaN, read: either('readFloatLE') },
  { size: 8, invalid: Number.NaN, read: either('readDoubleLE') },
  { size: 1, invalid: 0, read: readByte },
  { size: 2, invalid: 0, read: either('readUInt16LE') },
  { size: 4, invalid: 0, read: either('readUInt32LE') },
  { size: 1, invalid: 0xff, read: readByte },
  { size: 8, invalid: Number(0x7fff_ffff_ffff_ffffn), read: read64 },
  { size: 8, invalid: Number(0xffff_ffff_ffff_ffffn), read: readU64 },
  { size: 8, invalid: 0, read: readU64 },
];

/** A field of a definition message. */
export interface WireField {
  readonly number: number;
  readonly at: number;
  readonly size: number;
  readonly base: number;
}

/** A developer's field of a definition message. */
interface WireDeveloperField extends WireField {
  readonly developer: number;
}

/** The layout of the data messages of a local type. */
export interface Definition {
  readonly isLittle: boolean;
  readonly message: number;
  /** The bytes of a data message, and of this definition. */
  readonly size: number;
  readonly length: number;
  readonly fields: readonly WireField[];
  readonly developerFields: readonly WireDeveloperField[];
}

/** Bits of the header of a message. */
export const definitionFlag = 0x40;
const developerFlag = 0x20;
const reservedFlag = 0x10;
/** The message has the lower five bits of its time in its header. */
export const compressedFlag = 0x80;

/** The local type of a data message. */
export const localTypeOf = (header: number) =>
  (header & compressedFlag) === 0 ? header & 15 : (header >> 5) & 3;
/** Whether a header is one of a data message. */
export const isDataHeader = (header: number) =>
  (header & compressedFlag) !== 0 || (header & (developerFlag | reservedFlag)) === 0;

/** The definition message at a position; null if it is none. */
export function definitionAt(bytes: Buffer, at: number, end: number): Definition | 'cut' | null {
  const header = bytes[at] ?? 0;
  if (at + 6 > end) return 'cut';
  const [reserved = 0, order = 0] = [bytes[at + 1], bytes[at + 2]];
  if (reserved !== 0 || order > 1 || (header & reservedFlag) !== 0) return null;
  const isLittle = order === 0;
  const count = bytes[at + 5] ?? 0;
  const hasDevelopers = (header & developerFlag) !== 0;
  const behind = at + 6 + count * 3;
  if (behind + (hasDevelopers ? 1 : 0) > end) return 'cut';
  const developers = hasDevelopers ? (bytes[behind] ?? 0) : 0;
  const length = behind - at + (hasDevelopers ? 1 + developers * 3 : 0);
  if (at + length > end) return 'cut';
  let size = 0;
  const wireAt = (place: number): WireField => {
    const [number = 0, width = 0, type = 0] = bytes.subarray(place, place + 3);
    const field = { number, at: size, size: width, base: (type & 0x60) === 0 ? type & 31 : baseTypes.length };
    size += width;
    return field;
  };
  const fields = Array.from({ length: count }, (_, index) => wireAt(at + 6 + index * 3));
  const developerFields = Array.from({ length: developers }, (_, index) => {
    const place = behind + 1 + index * 3;
    return { ...wireAt(place), developer: bytes[place + 2] ?? 0 };
  });
  const message = isLittle ? bytes.readUInt16LE(at + 3) : bytes.readUInt16BE(at + 3);
  return { isLittle, message, size, length, fields, developerFields };
}

/** Whether a field has whole numbers of its type. */
export function fits({ base, size }: Pick<WireField, 'base' | 'size'>): boolean {
  const width = baseTypes[base]?.size;
  return width !== undefined && size > 0 && size % width === 0;
}
