import type { z } from 'zod';
import type { IntervalRecord, IntervalSource } from '../../../domain/records/interval-records.ts';
import { anotherUser, type Setting } from './setting.ts';

/** Numbers in [0, 1), the same for each seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'];
/** Days of clock changes of these zones, and ordinary ones. */
const dates = [
  '2026-03-29',
  '2026-10-25',
  '2026-03-08',
  '2026-11-01',
  '2026-04-05',
  '2026-10-04',
  '2026-05-13',
];

const formats = new Map(
  zones.map((zone) => [zone, new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })]),
);

/** The offset of a zone at an instant, in minutes. */
function offsetAt(zone: string, ms: number): number {
  const parts = formats.get(zone)?.formatToParts(ms) ?? [];
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

const sources: readonly Pick<MeasuredInterval, 'provider' | 'source'>[] = [
  { provider: 'devicemaker', source: { device_type: 'watch', device: 'Watch' } },
  { provider: 'devicemaker', source: { device_type: 'phone', device: 'Phone' } },
  {
    provider: 'devicemaker',
    source: { device_type: 'phone', device: 'Phone 2', app: 'Runner', device_id: 'x' },
  },
  { provider: 'activitynet', source: { device_type: 'ring', device: 'Ring' } },
  { provider: 'activitynet', source: { device_type: 'unknown', device: 'unknown' } },
];
const lengths = [1, 59, 60, 300, 613, 3600, 7200, 30_000];

/** The steps of one user on a local day and around it, from several sources that overlap. */
export function generatedDay(random: () => number, number: number): MeasuredInterval[] {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] ?? fail();
  const zone = pick(zones);
  const noon = Date.parse(`${pick(dates)}T12:00:00Z`);
  const used = sources.filter(() => random() < 0.7);
  return (used.length === 0 ? sources.slice(0, 1) : used).flatMap((source, place) => {
    const count = 1 + Math.floor(random() * 12);
    return Array.from({ length: count }, (_, index) => {
      const start_ms = noon + Math.floor((random() - 0.5) * 2 * 86_400) * 1000;
      return {
        ...source,
        interval: {
          id: `${number} ${place} ${index}`,
          ...{ type: 'steps' as const, source: 0, start_ms, end_ms: start_ms + pick(lengths) * 1000 },
          value: Math.floor(random() * 1000),
          zone_offset_minutes: offsetAt(zone, start_ms),
        },
      };
    });
  });
}

function fail(): never {
  throw new Error('nothing to pick from');
}

/*
 * What intervals add up to, second by second: the other algorithm that the product is compared with. Each second belongs
 * to the best interval that contains it, and has an equal part of its value: first the best of each source, then of those.
 */

/** An interval of whole seconds with its source. */
interface MeasuredInterval {
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
function localDateOf({ interval }: MeasuredInterval, second: number): string {
  const local = second * 1000 + (interval.zone_offset_minutes ?? 0) * 60_000;
  return new Date(local).toISOString().slice(0, 10);
}

/** Stores measured intervals of a user, provider by provider. */
export async function storeMeasured(
  { storeIntervals }: Pick<Setting, 'storeIntervals'>,
  measured: readonly MeasuredInterval[],
): Promise<void> {
  for (const [provider, own] of Map.groupBy(measured, ({ provider }) => provider)) {
    const sources = [...new Set(own.map(({ source }) => source))];
    const intervals = own.map(({ source, interval }) => ({ ...interval, source: sources.indexOf(source) }));
    await storeIntervals(sources, intervals, provider);
  }
}

/** The keys of sums that differ by more than rounding. */
export function differences(
  stored: ReadonlyMap<string, number>,
  expected: ReadonlyMap<string, number>,
): string[] {
  const keys = new Set([...stored.keys(), ...expected.keys()]);
  return [...keys].filter((key) => {
    const [a, b] = [stored.get(key) ?? 0, expected.get(key) ?? 0];
    return Math.abs(a - b) > 1e-6 * Math.max(1, Math.abs(b));
  });
}

/** Sums by day or hour, provider and device of a user's intervals. */
async function stored({ database, userId }: Setting, place: string, table: string) {
  const rows = await database.query<{ key: string; sum: number }>(
    `select ${place} || ' ' || s.provider || ' ' || s.device as key, x.sum
     from timeseries.series s join timeseries.${table} x on x.series_id = s.id where s.user_id = $1`,
    [userId],
  );
  return new Map(rows.map(({ key, sum }) => [key, sum]));
}

/**
 * Stores generated days, each of a user of its own, and compares local days and UTC hours with the sums second by second.
 * Returns what differs.
 */
export async function wrongDays(setting: Setting, seed: number, days: number): Promise<string[]> {
  const random = seeded(seed);
  const wrong: string[] = [];
  for (let number = 0; number < days; number += 1) {
    const measured = generatedDay(random, number);
    const user = await anotherUser(setting);
    await storeMeasured(user, measured);
    const byDay = perSecond(measured, (one, second) =>
      [localDateOf(one, second), one.provider, one.source.device].join(' '),
    );
    const byHour = perSecond(measured, (one, second) =>
      [Math.floor(second / 3600), one.provider, one.source.device].join(' '),
    );
    const ofDays = await stored(user, 'x.date', 'sample_local_day');
    const ofHours = await stored(user, 'floor(extract(epoch from x.bucket) / 3600)', 'sample_hour');
    wrong.push(
      ...differences(ofDays, byDay).map((key) => `${number} day ${key}`),
      ...differences(ofHours, byHour).map((key) => `${number} hour ${key}`),
    );
  }
  return wrong;
}
