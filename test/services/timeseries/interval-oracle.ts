import type { z } from 'zod';
import type { IntervalRecord, IntervalSource } from '../../../domain/records/interval-records.ts';

/*
 * What intervals add up to, second by second: the other algorithm that the product is compared with. Each second belongs
 * to the best interval that contains it, and has an equal part of its value.
 */

/** An interval of whole seconds with its source. */
export interface MeasuredInterval {
  readonly provider: 'devicemaker' | 'activitynet';
  readonly source: z.input<typeof IntervalSource>;
  readonly interval: z.input<typeof IntervalRecord>;
}

const providers: readonly string[] = ['devicemaker', 'activitynet'];
const devices: readonly string[] = ['merged', 'watch', 'ring', 'band', 'phone', 'scale', 'manual', 'unknown'];

function isBetter(a: MeasuredInterval, b: MeasuredInterval): boolean {
  const keys = (one: MeasuredInterval): (number | string)[] => [
    providers.indexOf(one.provider),
    devices.indexOf(one.source.device_type),
    one.source.device,
    one.interval.end_ms - one.interval.start_ms,
    -one.interval.start_ms,
    -one.interval.value,
  ];
  const [ours, theirs] = [keys(a), keys(b)];
  const place = ours.findIndex((key, index) => key !== theirs[index]);
  return place !== -1 && (ours[place] ?? 0) < (theirs[place] ?? 0);
}

/** The part of each source, by `key(interval, second)`. */
export function perSecond(
  measured: readonly MeasuredInterval[],
  keyOf: (one: MeasuredInterval, second: number) => string,
): Map<string, number> {
  const first = Math.min(...measured.map(({ interval }) => interval.start_ms / 1000));
  const end = Math.max(...measured.map(({ interval }) => interval.end_ms / 1000));
  const best: (MeasuredInterval | undefined)[] = Array.from({ length: end - first });
  for (const one of measured)
    for (let second = one.interval.start_ms / 1000; second < one.interval.end_ms / 1000; second += 1) {
      const other = best[second - first];
      if (other === undefined || isBetter(one, other)) best[second - first] = one;
    }
  const sums = new Map<string, number>();
  let known: { one: MeasuredInterval; minute: number; key: string } | undefined;
  for (const [index, one] of best.entries()) {
    if (one === undefined) continue;
    const second = first + index;
    const minute = Math.floor(second / 60);
    // All borders of days and hours are whole minutes.
    if (known?.one !== one || known.minute !== minute) known = { one, minute, key: keyOf(one, second) };
    const seconds = (one.interval.end_ms - one.interval.start_ms) / 1000;
    sums.set(known.key, (sums.get(known.key) ?? 0) + one.interval.value / seconds);
  }
  return sums;
}

/** The local date of a second, by the offset of the interval that it belongs to. */
export function localDateOf({ interval }: MeasuredInterval, second: number): string {
  const local = second * 1000 + (interval.zone_offset_minutes ?? 0) * 60_000;
  return new Date(local).toISOString().slice(0, 10);
}
