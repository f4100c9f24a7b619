import type { z } from 'zod';
import type { IntervalRecord, IntervalSource } from '../../../domain/records/interval-records.ts';

/*
 * What intervals add up to, second by second: the other algorithm that the product is compared with. Each second belongs
 * to the best interval that contains it, and has an equal part of its value: first the best of each source, then of those.
 */

/** An interval of whole seconds with its source. */
export interface MeasuredInterval {
  readonly provider: 'devicemaker' | 'activitynet';
  readonly source: z.input<typeof IntervalSource>;
  readonly interval: z.input<typeof IntervalRecord>;
}

const providers: readonly string[] = ['devicemaker', 'activitynet'];
const devices: readonly string[] = ['merged', 'watch', 'ring', 'band', 'phone', 'scale', 'manual', 'unknown'];

const lengthOf = ({ interval }: MeasuredInterval) => interval.end_ms - interval.start_ms;
const ofOneSource = (one: MeasuredInterval) => [lengthOf(one), -one.interval.start_ms, -one.interval.value];
const ofSources = (one: MeasuredInterval) => [
  providers.indexOf(one.provider),
  devices.indexOf(one.source.device_type),
  -one.interval.value / lengthOf(one),
  one.source.device,
];

function isBetter(
  keys: (one: MeasuredInterval) => (number | string)[],
  a: MeasuredInterval,
  b: MeasuredInterval,
): boolean {
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
  const bestOf = (
    list: readonly MeasuredInterval[],
    keys: (one: MeasuredInterval) => (number | string)[],
  ): (MeasuredInterval | undefined)[] => {
    const seconds: (MeasuredInterval | undefined)[] = Array.from({ length: end - first });
    for (const one of list)
      for (let second = one.interval.start_ms / 1000; second < one.interval.end_ms / 1000; second += 1) {
        const other = seconds[second - first];
        if (other === undefined || isBetter(keys, one, other)) seconds[second - first] = one;
      }
    return seconds;
  };
  const bySource = Map.groupBy(measured, ({ provider, source }) => `${provider} ${source.device}`);
  const ofEach = [...bySource.values()].map((own) => bestOf(own, ofOneSource));
  const best = Array.from({ length: end - first }, (_, second) =>
    ofEach
      .flatMap((seconds) => seconds[second] ?? [])
      .reduce<MeasuredInterval | undefined>(
        (found, one) => (found === undefined || isBetter(ofSources, one, found) ? one : found),
        undefined,
      ),
  );
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
