import { activeKilocalories, footMeters, seconds, stepsIn } from '../day-simulation/counts.ts';
import type { SimulatedDay } from '../day-simulation/day.ts';
import { heartRateEveryMs } from '../day-simulation/heart-rate.ts';
import { type Stage, stageTotals } from '../day-simulation/night.ts';
import { hrvAt, spo2At } from '../day-simulation/strain.ts';
import { totalsOf } from '../day-simulation/workout.ts';
import type { WriteArchive } from '../files/archives.ts';
import { type TableRow, tableOf } from '../files/table.ts';
import { type ZippedFile, zipOf } from '../files/zip.ts';
import { simulatedDay } from '../simulation/days.ts';
import { hashOf } from '../simulation/random.ts';
import { type SimulatedUser, simulatedUserAt } from '../simulation/simulated-users.ts';
import { addDays, offsetMinutesAt } from '../simulation/zone.ts';

/** The numbers that an import of an export must give. */
export interface OuraLedger {
  readonly days: readonly { readonly date: string; readonly steps: number; readonly kilocalories: number }[];
  readonly nights: readonly {
    readonly startMs: number;
    readonly endMs: number;
    readonly date: string;
    readonly asleepSeconds: number;
    readonly rmssd: number;
    readonly oxygen: number;
  }[];
  readonly readiness: readonly number[];
  readonly sleepScores: readonly number[];
  readonly workouts: readonly {
    readonly startMs: number;
    readonly sport: string;
    readonly kilocalories: number;
  }[];
  readonly heartRates: number;
}

/** An export as its members, which a test may change. */
export interface OuraExport {
  readonly files: readonly ZippedFile[];
  readonly ledger: OuraLedger;
}

const minuteMs = 60_000;
const rateEveryMs = 5 * minuteMs;
const digits: Readonly<Record<Stage, string>> = {
  deep: '1',
  light: '2',
  rem: '3',
  awake: '4',
  unmeasurable: '4',
};

/** The export of a synthetic user, with the oddities of such exports: semicolons, JSON in cells, sleeps that were taken back. */
export function ouraExport(user: SimulatedUser, dates: readonly string[]): OuraExport {
  const local = (ms: number) => localIso(ms, offsetMinutesAt(user.traits.zone, ms));
  const days = dates.map((date) => simulatedDay(user, date));
  const idOf = (name: string, ms: number) => {
    const part = (salt: string) => hashOf(`${user.seed}/${name}/${ms}/${salt}`).toString(16).padStart(8, '0');
    return `${part('a')}-${part('b').slice(0, 4)}-4${part('b').slice(5)}-a000-${part('c')}0000`;
  };
  const nights = days.flatMap((day) => (day.sleep === null ? [] : [nightOf(day, day.sleep)]));
  const sleeps: TableRow[] = nights.map(({ day, startMs, endMs, totals, phases, ...night }) => ({
    id: idOf('sleep', startMs),
    day: day.date,
    type: 'long_sleep',
    bedtime_start: local(startMs),
    bedtime_end: local(endMs),
    total_sleep_duration: night.asleepSeconds,
    deep_sleep_duration: seconds(totals.deep),
    light_sleep_duration: seconds(totals.light),
    rem_sleep_duration: seconds(totals.rem),
    awake_time: seconds(totals.awake + totals.unmeasurable),
    average_hrv: night.rmssd,
    lowest_heart_rate: Math.round(day.resting_heart_rate_bpm),
    average_breath: 14.5,
    efficiency: 91,
    sleep_phase_5_min: phases,
    heart_rate: '{"interval":300.0,"items":[null,56.0]}',
  }));
  const [first] = sleeps;
  if (first !== undefined) sleeps.push({ ...first, id: idOf('rest', 1), type: 'rest' });
  const done = days.flatMap((day) =>
    day.workouts.map((workout) => ({
      row: {
        id: idOf('workout', workout.startMs),
        day: day.date,
        start_datetime: local(workout.startMs),
        end_datetime: local(workout.endMs),
        activity: sports[workout.plan.sport] ?? 'other',
        label: null,
        calories: totalsOf(day, workout).active_kilocalories,
        distance: Math.round(totalsOf(day, workout).meters ?? 0),
        intensity: 'moderate',
        source: 'confirmed',
      },
      startMs: Math.floor(workout.startMs / 1000) * 1000,
    })),
  );
  const totals = days.map(({ date, minutes }) => {
    const worn = minutes.filter((one) => one.worn);
    return { date, steps: stepsIn(worn), kilocalories: activeKilocalories(user, worn), worn };
  });
  const scored = (name: string) => (date: string) => 60 + (hashOf(`${user.seed}/${date}/${name}`) % 40);
  const [ready, slept] = [dates.map(scored('ready')), nights.map(({ day }) => scored('slept')(day.date))];
  const rates = days.flatMap(({ startMs, heart_rates }) =>
    heart_rates.flatMap((bpm, index) =>
      (index * heartRateEveryMs) % rateEveryMs === 0
        ? [{ timestamp: new Date(startMs + index * heartRateEveryMs).toISOString(), bpm, source: 'awake' }]
        : [],
    ),
  );
  const app = (name: string, rows: readonly TableRow[]) =>
    tableOf(`App Data/${name}.csv`, rows, { delimiter: ';' });
  const ofDay = (name: string, date: string) => ({ id: idOf(name, Date.parse(date)), day: date });
  return {
    files: [
      app('sleepmodel', sleeps),
      app(
        'dailysleep',
        nights.map(({ day }, index) => ({
          ...ofDay('slept', day.date),
          score: slept[index] ?? null,
          contributors: '{"deep_sleep":88,"efficiency":91}',
        })),
      ),
      app(
        'dailyreadiness',
        dates.map((date, index) => ({
          ...ofDay('ready', date),
          score: ready[index] ?? null,
          temperature_deviation: -0.1,
          contributors: '{"hrv_balance":80}',
        })),
      ),
      app(
        'dailyactivity',
        totals.map(({ date, steps, kilocalories, worn }) => ({
          ...ofDay('activity', date),
          steps,
          active_calories: kilocalories,
          total_calories: kilocalories + 1500,
          equivalent_walking_distance: Math.round(footMeters(worn)),
        })),
      ),
      app(
        'dailyspo2',
        nights.map(({ day, oxygen }) => ({
          ...ofDay('spo2', day.date),
          spo2_percentage: `{"average":${oxygen}}`,
        })),
      ),
      app('heartrate', rates),
      app(
        'workout',
        done.map(({ row }) => row),
      ),
      app('temperature', [{ timestamp: '2026-03-02T01:00:00Z', skin_temp: 34.5 }]),
      app('enhancedtag', [{ id: '1', comment: 'one; two' }]),
      tableOf('Subscriptions/account.csv', [{ name: 'a user' }]),
    ],
    ledger: {
      days: totals.map(({ worn: _, ...total }) => total),
      nights: nights.map(({ day: { date }, totals: _, phases: __, ...night }) => ({ ...night, date })),
      readiness: ready,
      sleepScores: slept,
      workouts: done.map(({ row, startMs }) => ({
        startMs,
        sport: row.activity,
        kilocalories: row.calories,
      })),
      heartRates: rates.filter(({ bpm }) => bpm > 0).length,
    },
  };
}

const sports: Readonly<Record<string, string>> = {
  run: 'running',
  intervals: 'running',
  ride: 'cycling',
  indoor_ride: 'indoor_cycling',
  swim: 'swimming',
  hike: 'hiking',
  walk: 'walking',
  strength: 'strength_training',
  yoga: 'yoga',
  row: 'rowing',
};

function localIso(ms: number, offset: number): string {
  const minutes = Math.abs(offset);
  const text = `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
  const at = new Date(Math.floor(ms / 1000) * 1000 + offset * minuteMs).toISOString();
  return `${at.slice(0, -1)}${offset < 0 ? '-' : '+'}${text}`;
}

/** A night with a digit for each five minutes. */
function nightOf(day: SimulatedDay, sleep: NonNullable<SimulatedDay['sleep']>) {
  const totals = stageTotals(sleep.stages);
  const [startMs, endMs] = [Math.floor(sleep.startMs / 1000) * 1000, Math.floor(sleep.endMs / 1000) * 1000];
  const phases = Array.from({ length: Math.ceil((endMs - startMs) / rateEveryMs) }, (_, index) => {
    const ms = startMs + (index + 0.5) * rateEveryMs;
    const stage = sleep.stages.find((one) => ms >= one.startMs && ms < one.endMs)?.stage ?? 'awake';
    return digits[stage];
  }).join('');
  const asleepSeconds = seconds(totals.deep) + seconds(totals.light) + seconds(totals.rem);
  const [rmssd, oxygen] = [hrvAt(day.user, startMs), spo2At(day.user, startMs)];
  return { day, startMs, endMs, totals, phases, asleepSeconds, rmssd, oxygen };
}

/** The export as `npm run sandbox-files` writes it. */
export const accountArchive: WriteArchive = ({ seed, startMs, days }) => {
  const [first = ''] = new Date(startMs).toISOString().split('T');
  const dates = Array.from({ length: days }, (_, day) => addDays(first, day));
  const { files, ledger } = ouraExport(simulatedUserAt(seed, 0), dates);
  const numbers = {
    steps: ledger.days.reduce((sum, { steps }) => sum + steps, 0),
    nights: ledger.nights.length,
    asleepSeconds: ledger.nights.reduce((sum, { asleepSeconds }) => sum + asleepSeconds, 0),
    workouts: ledger.workouts.length,
    heartRates: ledger.heartRates,
  };
  return { file: 'oura-data.zip', bytes: zipOf(files), numbers };
};
