/*
 * Encodes instants and values of samples as bytes. Instants are ascending milliseconds, stored as runs of equal
 * distances: an hour at one sample a second takes 11 bytes. Values are stored as differences of whole numbers if at
 * most seven decimals represent each value exactly, otherwise as binary floats of 4 or 8 bytes. Decoding returns
 * exactly what was encoded.
 */

const base = 128;

/** Encodes instants in milliseconds, which are ascending and distinct. */
export function encodeTimes(times: readonly number[]): Buffer {
  const numbers = [times.length, times[0] ?? 0];
  for (let index = 1; index < times.length; ) {
    const distance = (times[index] ?? 0) - (times[index - 1] ?? 0);
    let count = 1;
    while (index + count < times.length && isDistance(times, index + count, distance)) count += 1;
    numbers.push(distance, count);
    index += count;
  }
  return toBytes(numbers);
}

function isDistance(times: readonly number[], index: number, distance: number): boolean {
  return (times[index] ?? 0) - (times[index - 1] ?? 0) === distance;
}

/** Decodes instants. */
export function decodeTimes(bytes: Buffer): number[] {
  const [length = 0, first = 0, ...runs] = fromBytes(bytes);
  const times = length === 0 ? [] : [first];
  let last = first;
  for (let index = 0; index < runs.length; index += 2) {
    const [distance = 0, count = 0] = [runs[index], runs[index + 1]];
    for (let step = 0; step < count; step += 1) {
      last += distance;
      times.push(last);
    }
  }
  return times;
}

const mostDecimals = 7;
const single = 101;
const double = 102;

/** Encodes values. The first byte is the number of decimals or the size of a float. */
export function encodeValues(values: readonly number[]): Buffer {
  for (let decimals = 0; decimals <= mostDecimals; decimals += 1) {
    const scale = 10 ** decimals;
    if (values.every((value) => isWholeOf(value, scale)))
      return Buffer.concat([Buffer.of(decimals), toBytes(differences(values, scale))]);
  }
  const isSingle = values.every((value) => Math.fround(value) === value);
  const numbers = isSingle ? Float32Array.from(values) : Float64Array.from(values);
  return Buffer.concat([Buffer.of(isSingle ? single : double), Buffer.from(numbers.buffer)]);
}

function isWholeOf(value: number, scale: number): boolean {
  const whole = Math.round(value * scale);
  return Math.abs(whole) < 1e15 && whole / scale === value && !Object.is(value, -0);
}

// Zigzag: 0, -1, 1, -2 become 0, 1, 2, 3.
function differences(values: readonly number[], scale: number): number[] {
  let last = 0;
  return values.map((value) => {
    const whole = Math.round(value * scale);
    const difference = whole - last;
    last = whole;
    return difference < 0 ? -difference * 2 - 1 : difference * 2;
  });
}

/** Decodes values. */
export function decodeValues(bytes: Buffer): number[] {
  const [kind = 0] = bytes;
  const rest = bytes.subarray(1);
  if (kind === single) return fractions(rest, 4, (offset) => rest.readFloatLE(offset));
  if (kind === double) return fractions(rest, 8, (offset) => rest.readDoubleLE(offset));
  const scale = 10 ** kind;
  let whole = 0;
  return fromBytes(rest).map((coded) => {
    whole += coded % 2 === 1 ? -(coded + 1) / 2 : coded / 2;
    return whole / scale;
  });
}

function fractions(bytes: Buffer, size: number, read: (offset: number) => number): number[] {
  return Array.from({ length: bytes.length / size }, (_, index) => read(index * size));
}

// Seven bits per byte, lowest first. The highest bit marks that another byte follows. Uses arithmetic, because an
// instant exceeds the 32 bits of bitwise operators.

/** Encodes whole numbers from 0. */
export function toBytes(numbers: readonly number[]): Buffer {
  const bytes: number[] = [];
  for (let number of numbers) {
    for (; number >= base; number = Math.floor(number / base)) bytes.push((number % base) + base);
    bytes.push(number);
  }
  return Buffer.from(bytes);
}

/** Decodes what `toBytes` encoded. */
export function fromBytes(bytes: Buffer): number[] {
  const numbers: number[] = [];
  let [number, weight] = [0, 1];
  for (const byte of bytes) {
    number += (byte % base) * weight;
    weight *= base;
    if (byte >= base) continue;
    numbers.push(number);
    [number, weight] = [0, 1];
  }
  return numbers;
}
