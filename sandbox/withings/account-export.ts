import { activeKilocalories, footMeters, seconds, stepsIn } from '../day-simulation/counts.ts';
import { stageTotals } from '../day-simulation/night.ts';
import { totalsOf } from '../day-simulation/workout.ts';
import type { WriteArchive } from '../files/archives.ts';
import { type TableRow, tableOf } from '../files/table.ts';
import { type ZippedFile, zipOf } from '../files/zip.ts';
import { simulatedDay } from '../simulation/days.ts';
import { type SimulatedUser, simulatedUserAt } from '../simulation/simulated-users.ts';
import { addDays, instantOf, offsetMinutesAt } from '../simulation/zone.ts';

/** The numbers that an import of an export must give. */
export interface WithingsLedger {
  readonly days: readonly { readonly date: string; readonly steps: number; readonly meters: number }[];
  readonly nights: readonly {
    readonly startMs: number;
    readonly endMs: number;
    readonly asleepSeconds: number;
  }[];
  readonly workouts: readonly { readonly startMs: number; readonly endMs: number; readonly sport: string }[];
  readonly weighings: readonly { readonly ms: number; readonly kilograms: number }[];
  readonly pressures: number;
  readonly heartRates: number;
}

/** An export as its members, which a test may change. */
export interface WithingsExport {
  readonly files: readonly ZippedFile[];
  readonly ledger: WithingsLedger;
}

const minuteMs = 60_000;
const sports: Readonly<Record<string, string>> = {
  run: 'Running',
  intervals: 'Running',
  ride: 'Cycling',
  indoor_ride: 'Indoor cycling',
  swim: 'Swimming',
  hike: 'Hiking',
  walk: 'Walking',
  strength: 'Lift weights',
  yoga: 'Yoga',
  row: 'Rowing',
};

/** The export of a synthetic user, with the oddities of such exports: arrays in cells, weighings without an offset, kg or lb. */
export function withingsExport(
  user: SimulatedUser,
  dates: readonly string[],
  unit: 'kg' | 'lb' = 'kg',
): WithingsExport {
  const { zone } = user.traits;
  const days = dates.map((date) => simulatedDay(user, date));
  const whole = (ms: number) => Math.floor(ms / 1000) * 1000;
  const clock = (ms: number) =>
    new Date(ms + offsetMinutesAt(zone, ms) * minuteMs).toISOString().slice(0, 19);
  const zoned = (ms: number) => {
    const offset = offsetMinutesAt(zone, ms);
    const minutes = Math.abs(offset);
    const part = (number: number) => String(number).padStart(2, '0');
    return `${clock(ms)}${offset < 0 ? '-' : '+'}${part(Math.floor(minutes / 60))}:${part(minutes % 60)}`;
  };
  const nights = days.flatMap(({ sleep }) => {
    if (sleep === null) return [];
    const { deep, light, rem, awake, unmeasurable } = stageTotals(sleep.stages);
    const stages = { light: seconds(light), deep: seconds(deep), rem: seconds(rem) };
    const asleepSeconds = stages.light + stages.deep + stages.rem;
    const awakeSeconds = seconds(awake + unmeasurable);
    return [
      { startMs: whole(sleep.startMs), endMs: whole(sleep.endMs), ...stages, awakeSeconds, asleepSeconds },
    ];
  });
  const workouts = days.flatMap((day) =>
    day.workouts.map((workout) => ({
      startMs: whole(workout.startMs),
      endMs: whole(workout.endMs),
      sport: sports[workout.plan.sport] ?? 'Other',
      data: {
        calories: totalsOf(day, workout).active_kilocalories,
        distance: Math.round(totalsOf(day, workout).meters ?? 0),
        steps: stepsIn(workout.minutes),
        hr_average: workout.avg_heart_rate_bpm ?? 0,
        hr_max: workout.max_heart_rate_bpm ?? 0,
      },
    })),
  );
  const totals = days.map(({ date, minutes }) => {
    const worn = minutes.filter((one) => one.worn);
    return {
      date,
      steps: stepsIn(worn),
      meters: Math.round(footMeters(worn)),
      kilocalories: activeKilocalories(user, worn),
      walked: worn.filter(({ steps }) => steps > 0),
    };
  });
  const weighings = dates.map((date, index) => ({
    ms: instantOf(zone, date, 7 * 60 + 20),
    kilograms: user.traits.weight_kg + index / 10,
  }));
  const inUnit = (kilograms: number) => (unit === 'kg' ? kilograms : kilograms / 0.453_592_37);
  // Heart rates of ten minutes stand in one row.
  const rates = days.flatMap(({ startMs, heart_rates }) =>
    Array.from({ length: Math.floor(heart_rates.length / 40) }, (_, index) => ({
      start: zoned(startMs + index * 10 * minuteMs),
      duration: '[300,300]',
      bpm: [heart_rates[index * 40] ?? 0, heart_rates[index * 40 + 20] ?? 0],
    })),
  );
  const aggregate = (name: string, value: (of: (typeof totals)[number]) => number) =>
    tableOf(
      `aggregates_${name}.csv`,
      totals.map((of): TableRow => ({ date: of.date, value: value(of) })),
    );
  return {
    files: [
      tableOf(
        'weight.csv',
        weighings.map(({ ms, kilograms }) => ({
          Date: clock(ms).replace('T', ' '),
          [`Weight (${unit})`]: inUnit(kilograms),
          [`Fat mass (${unit})`]: inUnit(15),
          [`Bone mass (${unit})`]: null,
          Comments: 'one, two',
        })),
      ),
      tableOf(
        'bp.csv',
        weighings.slice(0, 3).map(({ ms }) => ({
          Date: clock(ms + minuteMs).replace('T', ' '),
          'Heart rate': 61,
          Systolic: 121,
          Diastolic: 79,
          Comments: null,
        })),
      ),
      tableOf(
        'sleep.csv',
        nights.map(({ startMs, endMs, light, deep, rem, awakeSeconds }) => ({
          from: zoned(startMs),
          to: zoned(endMs),
          'light (s)': light,
          'deep (s)': deep,
          'rem (s)': rem,
          'awake (s)': awakeSeconds,
          'wake up': 2,
          'Average heart rate': 54,
        })),
      ),
      tableOf(
        'activities.csv',
        workouts.map(({ startMs, endMs, sport, data }) => ({
          from: zoned(startMs),
          to: zoned(endMs),
          Timezone: zone,
          'Activity type': sport,
          Data: JSON.stringify(data),
          GPS: null,
        })),
      ),
      aggregate('steps', ({ steps }) => steps),
      aggregate('distance', ({ meters }) => meters),
      aggregate('calories_earned', ({ kilocalories }) => kilocalories),
      aggregate('elevation', () => 7),
      tableOf(
        'raw_tracker_steps.csv',
        totals.flatMap(({ walked }) =>
          walked.map(({ startMs, steps }) => ({
            start: zoned(startMs),
            duration: '[60]',
            value: `[${steps}]`,
          })),
        ),
      ),
      tableOf(
        'raw_tracker_hr.csv',
        rates.map(({ bpm, ...row }) => ({ ...row, value: JSON.stringify(bpm) })),
      ),
      tableOf('raw_tracker_sleep-state.csv', [
        { start: zoned(nights[0]?.startMs ?? 0), duration: '[300]', value: '[1]' },
      ]),
      tableOf('account.csv', [{ name: 'a user' }]),
    ],
    ledger: {
      days: totals.map(({ date, steps, meters }) => ({ date, steps, meters })),
      nights: nights.map(({ startMs, endMs, asleepSeconds }) => ({ startMs, endMs, asleepSeconds })),
      workouts: workouts.map(({ data: _, ...workout }) => workout),
      weighings,
      pressures: Math.min(3, weighings.length),
      heartRates: rates.flatMap(({ bpm }) => bpm).filter((one) => one > 0).length,
    },
  };
}

/** The export as `npm run sandbox-files` writes it. */
export const accountArchive: WriteArchive = ({ seed, startMs, days }) => {
  const [first = ''] = new Date(startMs).toISOString().split('T');
  const dates = Array.from({ length: days }, (_, day) => addDays(first, day));
  const { files, ledger } = withingsExport(simulatedUserAt(seed, 0), dates);
  const { days: totals, nights, workouts, weighings, ...numbers } = ledger;
  const counts = { nights: nights.length, workouts: workouts.length, weighings: weighings.length };
  const steps = totals.reduce((sum, total) => sum + total.steps, 0);
  return { file: 'data_user_1.zip', bytes: zipOf(files), numbers: { steps, ...counts, ...numbers } };
};
