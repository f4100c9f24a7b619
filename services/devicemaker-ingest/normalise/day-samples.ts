import type { DayRecord, SampleBlock } from '../../../domain/records.ts';
import { dateToMs, dayMs, hourMs, minuteMs } from '../../../domain/time.ts';

const farthestMinutes = 1080;

/**
 * Samples of a daily record, on the local day that the record covers. A day on which the clock is set back has 25 hours,
 * and the record tells the offset of its start only: by it the last hour would belong to the next day. Samples behind the
 * 24 hours carry an offset that is as many hours less.
 */
export function daySamples(
  block: SampleBlock,
  { date, start_ms, duration_seconds }: Pick<DayRecord, 'date' | 'start_ms' | 'duration_seconds'>,
): SampleBlock[] {
  const { zone_offset_minutes: offset, base_ms, at } = block;
  if (date === null || offset === null) return [block];
  const plainEndMs = dateToMs(date) + dayMs - offset * minuteMs;
  const endMs = start_ms + duration_seconds * 1000;
  const later = offset - 60 * Math.ceil((endMs - plainEndMs) / hourMs);
  const isLate = (ms: number) => ms >= plainEndMs && ms < endMs;
  if (later < -farthestMinutes || !at.some((ms) => isLate(base_ms + ms))) return [block];
  const part = (late: boolean, zone_offset_minutes: number) => {
    const keep = (_: number, index: number) => isLate(base_ms + (at[index] ?? 0)) === late;
    return { ...block, zone_offset_minutes, at: at.filter(keep), values: block.values.filter(keep) };
  };
  return [part(false, offset), part(true, later)].filter((one) => one.at.length > 0);
}
