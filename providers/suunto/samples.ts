import { withoutNoise } from '../../domain/json/decimals.ts';
import type { Span } from '../../domain/provider/pulled-provider.ts';
import type { Point } from '../../domain/recipe/draft.ts';
import { type Item, instantWithOffset, isItem } from '../../domain/recipe/read-fields.ts';
import { dateToMs, minuteMs } from '../../domain/time/time.ts';

const entryOf = (item: unknown): Item => (isItem(item) && isItem(item.entryData) ? item.entryData : {});
const msOf = (item: unknown): number | null =>
  isItem(item) ? (instantWithOffset(item.timestamp)?.ms ?? null) : null;

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

/** Nights with the last version of each, in the order of the list. The units of heart rate and oxygen differ by firmware. */
export function latestNights(records: readonly unknown[]): unknown[] {
  const versions = new Map<unknown, unknown>();
  for (const record of records) {
    const { SleepId } = entryOf(record);
    versions.delete(SleepId ?? record);
    versions.set(SleepId ?? record, record);
  }
  return [...versions.values()].map(withUnits);
}

function withUnits(record: unknown): unknown {
  if (!isItem(record) || !isItem(record.entryData)) return record;
  const { HRAvg, HRMin, MaxSpo2, ...entry } = record.entryData;
  const read = { HRAvg: bpmOf(HRAvg), HRMin: bpmOf(HRMin), MaxSpo2: percentOf(MaxSpo2) };
  return { ...record, entryData: { ...entry, ...read } };
}

/** An item of each local day that begins in the span or has a sample in it: its last sample, with all samples of the day as `day`. */
export function daysOfSamples(records: readonly unknown[], span: Span | null): unknown[] {
  const timed = records.flatMap((record) => {
    const ms = msOf(record);
    return isItem(record) && ms !== null ? [{ record, ms }] : [];
  });
  const isWithin = (ms: number) => span === null || (ms >= span.startMs && ms < span.endMs);
  const days = Map.groupBy(timed, ({ record }) => String(record.timestamp).slice(0, 10));
  const items = [...days.values()].flatMap((samples) => {
    const sorted = samples.toSorted((a, b) => a.ms - b.ms);
    const last = sorted.at(-1);
    if (last === undefined || ![midnightOf(last.record), ...sorted.map(({ ms }) => ms)].some(isWithin))
      return [];
    return [{ ...last.record, day: sorted.map(({ record }) => record) }];
  });
  return [...items, ...records.filter((record) => msOf(record) === null)];
}

/** The start of the local day of a sample, in milliseconds. */
export function midnightOf({ timestamp }: Item): number {
  const { offset = 0 } = instantWithOffset(timestamp) ?? {};
  return dateToMs(String(timestamp).slice(0, 10)) - offset * minuteMs;
}

/** The balances of the samples of a day in percent. */
export function pointsOfDay({ day }: Item): Point[] {
  const samples: readonly unknown[] = Array.isArray(day) ? day : [];
  return samples.flatMap((sample): Point[] => {
    const [ms, value] = [msOf(sample), percentOf(entryOf(sample).Balance)];
    return ms === null || value === null ? [] : [[ms, value]];
  });
}
