import { type PhoneItem, phoneDays } from '../phone/days.ts';
import { recordedRun } from './recorded-run.ts';
import { type TableRow, tableOf } from './table.ts';

/** The settings of the app, which decide what an export has. */
interface AutoExportChoice {
  readonly seed: string;
  /** Midnight of the first day of the user's clock, in UTC milliseconds. */
  readonly startMs: number;
  readonly days: number;
  readonly offsetMinutes: number;
  readonly grouping: 'hours' | 'days';
  /** Whether nights stand as phases. */
  readonly hasPhases?: boolean;
}

/** The numbers that an import of an export must give. */
export interface AutoExportLedger {
  readonly steps: readonly number[];
  readonly nights: readonly { readonly startMs: number; readonly asleepSeconds: number }[];
  readonly runs: readonly number[];
  readonly kilograms: readonly number[];
  /** The instants with a heart rate, of hours and of runs. The mean of a day is none. */
  readonly heartRates: number;
}

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const startOf = ({ startDate }: PhoneItem) => Date.parse(startDate);
const endOf = ({ endDate }: PhoneItem) => Date.parse(endDate);
const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const tenth = (value: number) => Math.round(value * 10) / 10;

/** An export of the app: JSON, and a table of the same values. Its units are those of the settings: kJ, lb, mi. */
export function autoExport({
  seed,
  startMs,
  days,
  offsetMinutes,
  grouping,
  hasPhases = false,
}: AutoExportChoice) {
  const { data, steps } = phoneDays({ seed, startMs, days });
  const clock = (ms: number) =>
    new Date(ms + offsetMinutes * minuteMs).toISOString().slice(0, 19).replace('T', ' ');
  const zone = `${offsetMinutes < 0 ? '-' : '+'}${String(Math.abs(offsetMinutes) / 60).padStart(2, '0')}00`;
  const time = (ms: number) => `${clock(ms)} ${zone}`;
  const ofType = (end: string) => data.records.filter(({ type }) => `${type}`.endsWith(end));
  const lengthMs = grouping === 'days' ? dayMs : hourMs;
  const grouped = (records: readonly PhoneItem[]) =>
    [
      ...Map.groupBy(records, (one) => startMs + Math.floor((startOf(one) - startMs) / lengthMs) * lengthMs),
    ].map(([ms, own]) => ({ ms, values: own.map(({ value }) => Number(value)) }));
  const watched = ofType('StepCount').filter(
    ({ source }) => Reflect.get(Object(source), 'deviceType') === 'watch',
  );
  const sums = (records: readonly PhoneItem[], factor = 1) =>
    grouped(records).map(({ ms, values }) => ({
      ms,
      qty: values.reduce((sum, value) => sum + value, 0) * factor,
    }));
  const rates = grouped(ofType('HeartRate')).map(({ ms, values }) => ({
    ms,
    Avg: tenth(meanOf(values)),
    Min: Math.min(...values),
    Max: Math.max(...values),
  }));
  const counts = sums(watched);
  const energy = sums(ofType('ActiveEnergyBurned'), 4.184);
  const weights = ofType('BodyMass').map((one) => ({
    ms: startOf(one),
    qty: Number(one.value) / 0.453_592_37,
  }));
  const dated = <T extends { readonly ms: number }>(points: readonly T[]) =>
    points.map(({ ms, ...values }) => ({
      date: time(ms),
      ...values,
      source: 'Watch of a user|iPhone of a user',
    }));
  const nights = nightsOf(data.sleep.filter(({ stage }) => stage !== 'in_bed'));
  const phases = data.sleep.map((phase) => ({
    startDate: time(startOf(phase)),
    endDate: time(endOf(phase)),
    qty: (endOf(phase) - startOf(phase)) / hourMs,
    value: names[`${phase.stage}`] ?? '',
    source: 'Watch of a user',
  }));
  const metrics = [
    { name: 'step_count', units: 'count', data: dated(counts) },
    { name: 'active_energy', units: 'kJ', data: dated(energy) },
    { name: 'heart_rate', units: 'count/min', data: dated(rates) },
    { name: 'weight_body_mass', units: 'lb', data: dated(weights) },
    { name: 'toothbrushing', units: 's', data: dated([{ ms: startMs, qty: 120 }]) },
    {
      name: 'sleep_analysis',
      units: 'hr',
      data: hasPhases
        ? phases
        : nights.map(({ hours, startMs: from, endMs }) => ({
            date: time(endMs).slice(0, 10),
            sleepStart: time(from),
            sleepEnd: time(endMs),
            ...hours,
            inBed: 0,
          })),
    },
  ];
  const beatsOfRuns: { readonly ms: number }[] = [];
  const workouts = data.workouts.map((run, index) => {
    const [from, to] = [startOf(run), endOf(run)];
    const { points } = recordedRun(run.id, from, to);
    // The second run has the heart rates after it in their place.
    const beats =
      index === 1 ? [{ ms: to, bpm: 70 }] : points.map(({ ms, heartRate }) => ({ ms, bpm: heartRate }));
    if (index !== 1) beatsOfRuns.push(...beats);
    return {
      id: run.id,
      name: 'Outdoor Run',
      start: time(from),
      end: time(to),
      duration: (to - from) / 1000,
      distance: { qty: 7.1 / 1.609_344, units: 'mi' },
      activeEnergyBurned: { qty: 420 * 4.184, units: 'kJ' },
      avgHeartRate: { qty: index === 1 ? 70 : 148, units: 'bpm' },
      heartRateData: beats.map(({ ms, bpm }) => ({ date: time(ms), Avg: bpm, units: 'bpm' })),
    };
  });
  const cells = new Map<number, Record<string, TableRow[string]>>();
  const put = (ms: number, column: string, value: number) => {
    const row = cells.get(ms) ?? {};
    row[column] = value;
    cells.set(ms, row);
  };
  for (const { ms, qty } of counts) put(ms, 'Step Count (count)', qty);
  for (const { ms, qty } of energy) put(ms, 'Active Energy (kJ)', qty);
  for (const { ms, Avg, Min, Max } of rates)
    for (const [part, value] of Object.entries({ Min, Max, Avg }))
      put(ms, `Heart Rate [${part}] (count/min)`, value);
  for (const { ms, qty } of weights) put(ms, 'Weight (lb)', qty);
  const columns = [...new Set([...cells.values()].flatMap((row) => Object.keys(row)))];
  const rows = [...cells]
    .toSorted(([a], [b]) => a - b)
    .map(
      ([ms, row]): TableRow => ({
        'Date/Time': clock(ms),
        ...Object.fromEntries(columns.map((column) => [column, row[column] ?? null])),
      }),
    );
  const ledger: AutoExportLedger = {
    steps,
    nights: nights.map(({ startMs: from, asleepSeconds }) => ({ startMs: from, asleepSeconds })),
    runs: data.workouts.map(startOf),
    kilograms: weights.map(({ qty }) => qty * 0.453_592_37),
    heartRates: new Set([...(grouping === 'hours' ? rates : []), ...beatsOfRuns].map(({ ms }) => ms)).size,
  };
  return {
    json: JSON.stringify({ data: { metrics, workouts } }),
    csv: Buffer.from(tableOf('HealthMetrics.csv', rows).bytes).toString(),
    ledger,
  };
}

const names: Readonly<Record<string, string>> = {
  in_bed: 'InBed',
  core: 'Core',
  deep: 'Deep',
  rem: 'REM',
  awake: 'Awake',
};

function nightsOf(phases: readonly PhoneItem[]) {
  const days = Map.groupBy(phases, ({ id }) => id.split(':night:')[0]);
  return [...days.values()].map((own) => {
    const inStage = (stage: string) =>
      own.reduce((sum, one) => sum + (one.stage === stage ? endOf(one) - startOf(one) : 0), 0);
    const [core, deep, rem, awake] = ['core', 'deep', 'rem', 'awake'].map(inStage);
    const asleep = (core ?? 0) + (deep ?? 0) + (rem ?? 0);
    const inHours = (ms = 0) => ms / hourMs;
    return {
      startMs: Math.min(...own.map(startOf)),
      endMs: Math.max(...own.map(endOf)),
      asleepSeconds: asleep / 1000,
      hours: {
        totalSleep: inHours(asleep),
        core: inHours(core),
        deep: inHours(deep),
        rem: inHours(rem),
        awake: inHours(awake),
      },
    };
  });
}
