import { isoTime } from '../../domain/time/time.ts';
import type { SimulatedDay } from '../day-simulation/day.ts';
import type { Minute } from '../day-simulation/minutes.ts';
import { datesIn, simulatedDay } from '../simulation/days.ts';
import type { HealthAccount, HealthWorld } from './state.ts';

/** A point of a data type. `body` is its JSON without name and device. */
export interface Point {
  readonly id: string;
  readonly device: Device;
  readonly startMs: number;
  readonly endMs: number;
  readonly value: number;
  readonly member: string;
  readonly body: object;
}

/** A device of a user. */
interface Device {
  readonly displayName: string;
  readonly formFactor: 'WATCH' | 'PHONE' | 'SCALE';
}

interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

type Draft = Omit<Point, 'id' | 'member'>;

interface DayType {
  readonly member: string;
  readonly scope: string;
  readonly of: (day: SimulatedDay) => Draft[];
}

const minuteMs = 60_000;
const phone: Device = { displayName: 'Phone', formFactor: 'PHONE' };
const scale: Device = { displayName: 'Scale', formFactor: 'SCALE' };
const watchOf = (day: SimulatedDay): Device => ({ displayName: day.user.traits.device, formFactor: 'WATCH' });

/** The data types of the simulation. Watch and phone count the same walks; the phone misses a tenth of the steps. */
export const types: Readonly<Record<string, DayType>> = {
  steps: summed(
    'steps',
    ({ steps }) => steps,
    (count) => ({ count: String(count) }),
  ),
  distance: summed(
    'distance',
    ({ meters, on_foot }) => (on_foot ? Math.round(meters * 1000) : 0),
    (millimeters) => ({ millimeters }),
  ),
  'heart-rate': {
    member: 'heartRate',
    scope: 'health_metrics_and_measurements',
    of: (day) =>
      everyMinute(day).flatMap((ms) => {
        const beats = day.heart_rates[(ms - day.startMs) / 15_000] ?? 0;
        return beats > 0 ? [sample(day, ms, beats, { beatsPerMinute: String(beats) })] : [];
      }),
  },
  'daily-resting-heart-rate': {
    member: 'dailyRestingHeartRate',
    scope: 'health_metrics_and_measurements',
    of: (day) => {
      const [year, month, date] = day.date.split('-').map(Number);
      const beats = Math.round(day.resting_heart_rate_bpm);
      const startMs = Date.parse(`${day.date}T12:00:00Z`);
      const body = { date: { year, month, day: date }, beatsPerMinute: beats };
      return [{ device: watchOf(day), startMs, endMs: startMs, value: beats, body }];
    },
  },
  weight: {
    member: 'weight',
    scope: 'health_metrics_and_measurements',
    of: (day) => {
      const ms = day.startMs + 7 * 60 * minuteMs;
      const grams = Math.round(day.user.traits.weight_kg * 1000) + ((ms / minuteMs) % 700);
      return [{ ...sample(day, ms, grams / 1000, { weightGrams: grams }), device: scale }];
    },
  },
  sleep: {
    member: 'sleep',
    scope: 'sleep',
    of: (day) => {
      if (day.sleep === null) return [];
      const { startMs, endMs, stages } = day.sleep;
      const rows = stages.map((one) => ({
        startTime: isoTime(one.startMs),
        endTime: isoTime(one.endMs),
        type: one.stage.toUpperCase(),
      }));
      const body = { interval: interval(day, startMs, endMs), metadata: { nap: false }, stages: rows };
      return [{ device: watchOf(day), startMs, endMs, value: (endMs - startMs) / 1000, body }];
    },
  },
  exercise: {
    member: 'exercise',
    scope: 'activity_and_fitness',
    of: (day) =>
      day.workouts.map(({ startMs, endMs, plan, avg_heart_rate_bpm }) => {
        const body = {
          interval: interval(day, startMs, endMs),
          exerciseType: plan.sport.toUpperCase(),
          metricsSummary: { averageHeartRateBeatsPerMinute: avg_heart_rate_bpm },
        };
        return { device: watchOf(day), startMs, endMs, value: (endMs - startMs) / 1000, body };
      }),
  },
};

function summed(
  member: string,
  amount: (minute: Minute) => number,
  body: (value: number) => object,
): DayType {
  return {
    member,
    scope: 'activity_and_fitness',
    of: (day) =>
      day.minutes.flatMap((minute) => {
        const value = amount(minute);
        const { startMs } = minute;
        const endMs = startMs + minuteMs;
        const point = (device: Device, counted: number) => ({
          device,
          startMs,
          endMs,
          value: counted,
          body: { interval: interval(day, startMs, endMs), ...body(counted) },
        });
        if (value <= 0) return [];
        const own = minute.worn ? [point(watchOf(day), value)] : [];
        return minute.state === 'walk' ? [...own, point(phone, Math.floor(value * 0.9))] : own;
      }),
  };
}

function everyMinute({ startMs, endMs }: Span): number[] {
  return Array.from(
    { length: Math.floor((endMs - startMs) / minuteMs) },
    (_, index) => startMs + index * minuteMs,
  );
}

function sample(day: SimulatedDay, ms: number, value: number, more: object): Draft {
  const sampleTime = { physicalTime: isoTime(ms), utcOffset: `${day.offset_minutes * 60}s` };
  return { device: watchOf(day), startMs: ms, endMs: ms, value, body: { sampleTime, ...more } };
}

function interval({ offset_minutes }: SimulatedDay, startMs: number, endMs: number) {
  const offset = `${offset_minutes * 60}s`;
  return {
    startTime: isoTime(startMs),
    endTime: isoTime(endMs),
    startUtcOffset: offset,
    endUtcOffset: offset,
  };
}

/** The points of an account that begin in a span, in order of time. Deleted ones are left out. */
export function pointsIn(
  { user, clock }: HealthWorld,
  account: HealthAccount,
  type: string,
  span: Span,
): Point[] {
  const found = types[type];
  if (found === undefined) return [];
  const nowMs = clock.nowMs();
  const { startMs, endMs } = {
    startMs: span.startMs - 86_400_000,
    endMs: Math.min(span.endMs, nowMs) + 86_400_000,
  };
  const drafts = datesIn(user(account.person), { startMs, endMs }).flatMap((date) =>
    found.of(simulatedDay(user(account.person), date)),
  );
  return drafts
    .filter((one) => one.startMs >= span.startMs && one.startMs < span.endMs && one.endMs <= nowMs)
    .map((one) => placed(account, type, found.member, one))
    .filter(({ id }) => !account.deleted.includes(id))
    .sort((a, b) => a.startMs - b.startMs);
}

function placed(account: HealthAccount, type: string, member: string, draft: Draft): Point {
  const id = `${type}-${draft.device.formFactor.toLowerCase()}-${draft.startMs}`;
  const factor = account.changed[id];
  if (factor === undefined || type !== 'steps') return { ...draft, id, member };
  const value = Math.round(draft.value * factor);
  return { ...draft, id, member, value, body: { ...draft.body, count: String(value) } };
}

/** Of points with the same start the watch's, as the provider's app shows them. */
export function reconciled(points: readonly Point[]): Point[] {
  const best = new Map<number, Point>();
  for (const point of points) {
    const known = best.get(point.startMs);
    if (known === undefined || point.device.formFactor === 'WATCH') best.set(point.startMs, point);
  }
  return [...best.values()];
}
