import { type PhoneItem, phoneDays } from '../phone/days.ts';
import type { ZippedFile } from './zip.ts';

/** The user whose export is written. */
export interface ZeppUser {
  readonly seed: string;
  /** Midnight of the first day of the user's clock, in UTC milliseconds. */
  readonly startMs: number;
  readonly days: number;
  readonly offsetMinutes: number;
  /** Which table of sleep is a day off: exports differ. */
  readonly isOff?: 'nights' | 'minutes';
}

/** What the export contains, to compare with what is stored. */
export interface ZeppLedger {
  readonly steps: readonly number[];
  readonly nights: readonly { readonly startMs: number; readonly asleepSeconds: number }[];
  readonly heartRates: number;
  readonly workouts: number;
  readonly distanceMeters: number;
  readonly kilograms: readonly number[];
  readonly breaths: number;
}

/** An export as its members, which a test may change. */
export interface ZeppExport {
  readonly files: readonly ZippedFile[];
  readonly ledger: ZeppLedger;
}

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const stages: Readonly<Record<string, string>> = { awake: 'WAKE', core: 'LIGHT', deep: 'DEEP', rem: 'REM' };

/** An export of Zepp, with its oddities. */
export function zeppExport({ seed, startMs, days, offsetMinutes, isOff = 'minutes' }: ZeppUser): ZeppExport {
  const files: ZippedFile[] = [];
  const add = (
    table: string,
    header: string,
    rows: readonly (readonly (string | number)[])[],
    name = '1780000000000',
  ) => {
    const text = [header, ...rows.map((row) => row.join(',')), ''].join('\n');
    files.push({ name: `${table}/${table}_${name}.csv`, bytes: Buffer.from(`\uFEFF${text}`) });
  };
  const utc = (ms: number) => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}+0000`;
  const local = (ms: number): [string, string] => {
    const text = new Date(ms + offsetMinutes * minuteMs).toISOString();
    return [text.slice(0, 10), text.slice(11, 16)];
  };
  const { data, steps } = phoneDays({ seed, startMs, days });
  const midnights = steps.map((_, day) => startMs + day * dayMs);
  const startOf = ({ startDate }: PhoneItem) => Date.parse(startDate);
  const endOf = ({ endDate }: PhoneItem) => Date.parse(endDate);
  const ofType = (end: string) => data.records.filter(({ type }) => `${type}`.endsWith(end));

  const rates = new Map(ofType('HeartRate').map((rate) => [startOf(rate), Number(rate.value)]));
  const minuteRows: (string | number)[][] = [];
  const nightRows: (string | number)[][] = [];
  let breaths = 0;
  const [minutesMs, nightsMs] = isOff === 'minutes' ? [dayMs, 0] : [0, -dayMs];
  const nights = midnights.map((midnight, index) => {
    const phases = data.sleep.filter(
      (phase) => phase.stage !== 'in_bed' && Math.abs(startOf(phase) - midnight - 3 * hourMs) < 9 * hourMs,
    );
    // Nights of one length would have the same totals.
    const own = phases.slice(0, phases.length - (index % 3));
    const night = { startMs: Math.min(...own.map(startOf)), endMs: Math.max(...own.map(endOf)) };
    const minutes = { awake: 0, core: 0, deep: 0, rem: 0 };
    for (const phase of own)
      for (let ms = startOf(phase); ms < endOf(phase); ms += minuteMs) {
        const stage = `${phase.stage}`;
        const rate = 48 + ((ms / minuteMs) % 13);
        if (!rates.has(ms)) rates.set(ms, rate);
        const isBreath = ms % (10 * minuteMs) === 0;
        if (isBreath) breaths += 1;
        Object.assign(minutes, { [stage]: Number(Reflect.get(minutes, stage)) + 1 });
        minuteRows.push([
          ...local(ms + minutesMs),
          stages[stage] ?? '',
          rates.get(ms) ?? 0,
          isBreath ? '14.5' : '',
        ]);
      }
    nightRows.push([
      local(night.endMs + nightsMs)[0],
      minutes.deep,
      minutes.core,
      minutes.awake,
      utc(night.startMs + nightsMs),
      utc(night.endMs + nightsMs),
      minutes.rem,
      '',
    ]);
    return { startMs: night.startMs, asleepSeconds: 60 * (minutes.deep + minutes.core + minutes.rem) };
  });
  // A day without a night has a placeholder.
  const after = startMs + days * dayMs;
  nightRows.push([local(after)[0], 0, 0, 0, utc(after), utc(after), 0, '']);
  add('SLEEP', 'date,deepSleepTime,shallowSleepTime,wakeTime,start,stop,REMTime,naps', nightRows);
  add('SLEEP_MINUTE', 'date,time,stage,hr,respiratory_rate', minuteRows);
  const sorted = [...rates].toSorted(([a], [b]) => a - b);
  add('HEARTRATE_AUTO', 'date,time,heartRate', [
    ...sorted.map(([ms, value]) => [...local(ms), value]),
    [...local(startMs + 3 * minuteMs), 0],
  ]);
  const spot = startMs + 9 * hourMs + 2 * minuteMs + 10_000;
  add('HEARTRATE', 'time,heartRate', [[utc(spot), 71]]);
  // An old generation of the table has two cells below four names.
  add('HEARTRATE', 'date,lastSyncTime,heartRate,timestamp', [[(spot + 60_000) / 1000, 72]], '1600000000000');

  const walks = ofType('StepCount').filter(
    ({ source }) => Reflect.get(Object(source), 'deviceType') === 'watch',
  );
  add('ACTIVITY_MINUTE', 'date,time,steps', [
    ...walks.map((walk) => [...local(startOf(walk)), Number(walk.value)]),
    [...local(startMs), 0],
  ]);
  const dayRows = midnights.map((midnight, day) => {
    const count = steps[day] ?? 0;
    return [local(midnight)[0], count, Math.round(count * 0.75), 0, 300];
  });
  const header = 'date,steps,distance,runDistance,calories';
  add('ACTIVITY', header, dayRows);
  // An export of an earlier week has the last day only in part.
  add(
    'ACTIVITY',
    header,
    dayRows.slice(-1).map(([date]) => [date ?? '', 5, 4, 0, 1]),
    '1700000000000',
  );
  add('ACTIVITY_STAGE', 'date,start,stop,distance,calories,steps', [
    [local(startMs)[0], '09:00', '09:10', 1, 1, 1],
  ]);
  add(
    'SPORT',
    'type,startTime,sportTime(s),maxPace(/meter),minPace(/meter),distance(m),avgPace(/meter),calories(kcal)',
    data.workouts.map((run, index) => [
      index === 0 ? 6 : 1,
      utc(startOf(run)),
      (endOf(run) - startOf(run)) / 1000,
      ...[-1.0, -1.0, index === 0 ? '-1.0' : 7100, -1.0, 420.5],
    ]),
  );
  const weights = ofType('BodyMass');
  add(
    'BODY',
    'time,weight,height,bmi,fatRate,bodyWaterRate,boneMass,metabolism,muscleRate,visceralFat',
    weights.map((weight) => [
      utc(startOf(weight)),
      Number(weight.value),
      181.5,
      22.5,
      'null',
      0,
      0,
      'null',
      57.9,
      0,
    ]),
  );
  add('USER', 'userId,gender,height,weight', [[1, 1, 181, 70]]);
  const ledger = {
    steps,
    nights,
    breaths,
    heartRates: rates.size + 2,
    workouts: data.workouts.length,
    distanceMeters: 7100 * (data.workouts.length - 1),
    kilograms: weights.map(({ value }) => Number(value)),
  };
  return { files, ledger };
}
