/*
 * Samples of a series and day that lie on a raster are sent as one SampledData: a value for each slot, and `E` for a slot
 * without a sample. Every sample can be recovered exactly: its instant is the first one plus a multiple of the period.
 */

/** A sample: its instants in milliseconds. `endMs` is null for a sample that is no interval. */
export interface RasterSample {
  readonly startMs: number;
  readonly endMs: number | null;
  readonly value: number;
}

/** Samples on a raster. */
export interface Raster {
  readonly period_ms: number;
  /** The values by slot, with blanks between them. */
  readonly data: string;
}

/** Fewer samples are sent one by one. */
const leastSamples = 10;
/** A gap costs 2 bytes, an Observation of its own about 800. */
const mostSlotsPerSample = 100;
/** A slot a second of the longest local day. */
const mostSlots = 90_001;

/**
 * The raster of samples that ascend; null if they are few, lie too far apart, share an instant, or are intervals that do not
 * fill their slots.
 */
export function rasterOf(samples: readonly RasterSample[], factor = 1): Raster | null {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined || samples.length < leastSamples) return null;
  const period = periodOf(samples);
  if (period === 0 || !samples.every(({ startMs, endMs }) => endMs === null || endMs - startMs === period))
    return null;
  const slots = (last.startMs - first.startMs) / period + 1;
  if (slots > mostSlots || slots > samples.length * mostSlotsPerSample) return null;
  return { period_ms: period, data: dataOf(samples, first.startMs, period, factor) };
}

// The greatest common divisor of the distances; 0 if two samples share an instant.
function periodOf(samples: readonly RasterSample[]): number {
  let period = 0;
  let before: number | null = null;
  for (const { startMs } of samples) {
    if (startMs === before) return 0;
    if (before !== null) period = divisor(startMs - before, period);
    before = startMs;
  }
  return period;
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

const gap = ' E';

function dataOf(samples: readonly RasterSample[], firstMs: number, period: number, factor: number): string {
  let data = '';
  let slot = 0;
  for (const { startMs, value } of samples) {
    const own = (startMs - firstMs) / period;
    data += `${gap.repeat(own - slot)} ${decimalText(value * factor)}`;
    slot = own + 1;
  }
  return data.slice(1);
}

/** A number without an exponent, which the data of a SampledData must not have, with all of its digits. */
export function decimalText(value: number): string {
  const [, sign = '', whole = '', rest = '', exponent] =
    /^(-?)(\d)\.?(\d*)e-(\d+)$/.exec(String(value)) ?? [];
  return exponent === undefined
    ? String(value)
    : `${sign}0.${'0'.repeat(Number(exponent) - 1)}${whole}${rest}`;
}
