import type { MeasuredInterval } from './interval-oracle.ts';

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
