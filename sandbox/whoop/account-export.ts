import { activeKilocalories } from '../day-simulation/counts.ts';
import type { SimulatedDay } from '../day-simulation/day.ts';
import { stageTotals } from '../day-simulation/night.ts';
import type { Span } from '../day-simulation/plan.ts';
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
export interface WhoopLedger {
  /** Nights, and their recoveries. */
  readonly nights: readonly (Span & {
    readonly asleepMinutes: number;
    readonly recovery: number;
    readonly restingRate: number;
    readonly rmssd: number;
    readonly oxygen: number;
  })[];
  readonly naps: readonly Span[];
  readonly strains: readonly number[];
  readonly workouts: readonly (Span & {
    readonly kilocalories: number;
    readonly strain: number;
    readonly sport: string;
  })[];
}

/** An export as its members, which a test may change. */
export interface WhoopExport {
  readonly files: readonly ZippedFile[];
  readonly ledger: WhoopLedger;
}

const [minuteMs, dayMs] = [60_000, 86_400_000];

const activities: Readonly<Record<string, string>> = {
  run: 'Running',
  intervals: 'HIIT',
  ride: 'Cycling',
  indoor_ride: 'Spin',
  swim: 'Swimming',
  hike: 'Hiking/Rucking',
  walk: 'Walking',
  strength: 'Weightlifting',
  yoga: 'Yoga',
  row: 'Rowing',
};

/**
 * The export of a synthetic user, with the oddities of such exports: times of the user's clock beside its offset, nights in two tables, and
 * a last cycle that has no end.
 */
export function whoopExport(user: SimulatedUser, dates: readonly string[]): WhoopExport {
  const { zone } = user.traits;
  const local = (ms: number) =>
    new Date(ms + offsetMinutesAt(zone, ms) * minuteMs).toISOString().slice(0, 19).replace('T', ' ');
  const days = dates.map((date) => simulatedDay(user, date));
  const cycles: TableRow[] = [];
  const sleeps: TableRow[] = [];
  const workouts: TableRow[] = [];
  const nights: WhoopLedger['nights'][number][] = [];
  const naps: Span[] = [];
  const strains: number[] = [];
  const trained: WhoopLedger['workouts'][number][] = [];
  for (const [index, day] of days.entries()) {
    const begin = day.sleep?.startMs ?? day.startMs;
    const next = days[index + 1];
    const cycle = {
      'Cycle start time': local(begin),
      'Cycle end time': next === undefined ? null : local(next.sleep?.startMs ?? next.startMs),
      'Cycle timezone': zoneOf(offsetMinutesAt(zone, begin)),
    };
    const night = day.sleep === null ? null : nightOf(day, day.sleep);
    const slept = night === null ? noSleep : sleepColumns(night, night.stages, local);
    const strain = tenthsOf(day, 'strain', 3, 180);
    strains.push(strain);
    if (night !== null) nights.push(night);
    const kilocalories = activeKilocalories(user, day.minutes) + Math.round(user.traits.weight_kg * 24);
    cycles.push({
      ...cycle,
      'Recovery score %': night?.recovery ?? null,
      'Resting heart rate (bpm)': night?.restingRate ?? null,
      'Heart rate variability (ms)': night?.rmssd ?? null,
      'Skin temp (celsius)': night === null ? null : 33.5,
      'Blood oxygen %': night?.oxygen ?? null,
      'Day Strain': strain,
      'Energy burned (cal)': kilocalories,
      'Max HR (bpm)': Math.max(...day.heart_rates),
      'Average HR (bpm)': 70,
      ...slept,
    });
    if (night !== null) sleeps.push({ ...cycle, ...slept, Nap: false });
    for (const nap of day.naps) {
      const light = nap.endMs - nap.startMs;
      const stages = { deep: 0, rem: 0, awake: 0, unmeasurable: 0, light };
      sleeps.push({ ...cycle, ...sleepColumns(nap, stages, local), Nap: true });
      naps.push(nap);
    }
    for (const workout of day.workouts) {
      const { active_kilocalories, meters, climb_meters } = totalsOf(day, workout);
      const [startMs, endMs] = [wholeSecond(workout.startMs), wholeSecond(workout.endMs)];
      const sport = activities[workout.plan.sport] ?? 'Activity';
      const done = {
        sport,
        startMs,
        endMs,
        kilocalories: active_kilocalories,
        strain: tenthsOf(day, 'done', 4, 150),
      };
      trained.push(done);
      workouts.push({
        ...cycle,
        'Workout start time': local(startMs),
        'Workout end time': local(endMs),
        'Duration (min)': Math.round((endMs - startMs) / minuteMs),
        'Activity name': sport,
        'Activity Strain': done.strain,
        'Energy burned (cal)': done.kilocalories,
        'Max HR (bpm)': workout.max_heart_rate_bpm,
        'Average HR (bpm)': workout.avg_heart_rate_bpm,
        'HR Zone 1 %': 20,
        'HR Zone 2 %': 50,
        'HR Zone 3 %': 30,
        'HR Zone 4 %': 0,
        'HR Zone 5 %': 0,
        'GPS enabled': meters !== null,
        'Distance (meters)': meters === null ? null : Math.round(meters),
        'Altitude gain (meters)': climb_meters,
      });
    }
  }
  const [first = null] = cycles;
  const answer = {
    'Cycle start time': first?.['Cycle start time'] ?? null,
    'Question text': 'Slept in the own bed?',
    'Answered yes': true,
    Notes: 'one, "two"\nand three',
  };
  return {
    // The newest rows are the first ones.
    files: [
      tableOf('physiological_cycles.csv', cycles.toReversed()),
      tableOf('sleeps.csv', sleeps.toReversed()),
      tableOf('workouts.csv', workouts.toReversed()),
      tableOf('journal_entries.csv', [answer]),
    ],
    ledger: { nights, naps, strains, workouts: trained },
  };
}

/** A score that follows from the day, with one decimal. */
const tenthsOf = ({ user, date }: SimulatedDay, name: string, least: number, width: number) =>
  least + (hashOf(`${user.seed}/${date}/${name}`) % width) / 10;

const wholeSecond = (ms: number) => Math.floor(ms / 1000) * 1000;

function zoneOf(offset: number): string {
  if (offset === 0) return 'UTCZ';
  const minutes = Math.abs(offset);
  const text = `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
  return `UTC${offset < 0 ? '-' : '+'}${text}`;
}

function nightOf(day: SimulatedDay, { startMs, endMs, stages }: NonNullable<SimulatedDay['sleep']>) {
  const totals = stageTotals(stages);
  return {
    startMs: wholeSecond(startMs),
    endMs: wholeSecond(endMs),
    stages: totals,
    asleepMinutes: minutesOf(totals.deep) + minutesOf(totals.light) + minutesOf(totals.rem),
    recovery: 30 + (hashOf(`${day.user.seed}/${day.date}/recovery`) % 70),
    restingRate: Math.round(day.resting_heart_rate_bpm),
    rmssd: hrvAt(day.user, startMs),
    oxygen: spo2At(day.user, startMs),
  };
}

type Totals = ReturnType<typeof stageTotals>;
const minutesOf = (ms: number) => Math.round(ms / minuteMs);

const sleepColumns = ({ startMs, endMs }: Span, totals: Totals, local: (ms: number) => string): TableRow => ({
  'Sleep onset': local(startMs),
  'Wake onset': local(endMs),
  'Sleep performance %': 85,
  'Respiratory rate (rpm)': 14.7,
  'Asleep duration (min)': minutesOf(totals.deep) + minutesOf(totals.light) + minutesOf(totals.rem),
  'In bed duration (min)': minutesOf(endMs - startMs),
  'Light sleep duration (min)': minutesOf(totals.light),
  'Deep (SWS) duration (min)': minutesOf(totals.deep),
  'REM duration (min)': minutesOf(totals.rem),
  'Awake duration (min)': minutesOf(totals.awake + totals.unmeasurable),
  'Sleep need (min)': 480,
  'Sleep debt (min)': 12,
  'Sleep efficiency %': 93,
  'Sleep consistency %': 70,
});

const empty = { deep: 0, light: 0, rem: 0, awake: 0, unmeasurable: 0 };
/** The columns of a cycle in which the band was not worn at night. */
const noSleep: TableRow = Object.fromEntries(
  Object.keys(sleepColumns({ startMs: 0, endMs: 0 }, empty, String)).map((column) => [column, null]),
);

/** The export as `npm run sandbox-files` writes it. */
export const accountArchive: WriteArchive = ({ seed, startMs, days }) => {
  const [first] = new Date(startMs).toISOString().split('T');
  const dates = Array.from({ length: days }, (_, day) => addDays(first ?? '', day));
  const { files, ledger } = whoopExport(simulatedUserAt(seed, 1), dates);
  const { nights, naps, strains, workouts } = ledger;
  const numbers = {
    nights: nights.length,
    asleepMinutes: nights.reduce((sum, { asleepMinutes }) => sum + asleepMinutes, 0),
    naps: naps.length,
    cycles: strains.length,
    workouts: workouts.length,
    kilocalories: workouts.reduce((sum, { kilocalories }) => sum + kilocalories, 0),
  };
  const date = new Date(startMs + days * dayMs).toISOString().slice(0, 10).replaceAll('-', '_');
  return { file: `my_whoop_data_${date}.zip`, bytes: zipOf(files), numbers };
};
