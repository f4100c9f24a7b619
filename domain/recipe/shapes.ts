import { withoutNoise } from '../json/decimals.ts';

/** A heart rate in beats per minute: a value below 5 is in Hz, as some firmware sends it. Null: it is no number. */
export function bpmOf(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return value < 5 ? withoutNoise(value * 60) : value;
}

/** A share in percent: a value of at most 1 is from 0 to 1. Null: it is no number. */
export function percentOf(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return value <= 1 ? withoutNoise(value * 100) : value;
}
