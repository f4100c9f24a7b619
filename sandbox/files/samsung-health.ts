import { createHash } from 'node:crypto';
import { type PhoneItem, phoneDays } from '../phone/days.ts';
import { recordedRun } from './recorded-run.ts';
import { type ZippedFile, zipOf } from './zip.ts';

/** The user whose export is written. */
export interface SamsungUser {
  readonly seed: string;
  /** Midnight of the first day of the user's clock, in UTC milliseconds. */
  readonly startMs: number;
  readonly days: number;
  readonly offsetMinutes: number;
  /** The form of exports of 2018: bare names of columns, times in milliseconds, JSON found by the ids of rows alone. */
  readonly isOld?: boolean;
}

/** What the export contains, to compare with what is stored. */
interface SamsungLedger {
  readonly steps: readonly number[];
  readonly activeKilocalories: readonly number[];
  readonly basalKilocalories: number;
  /** Minutes of JSON, hours without JSON, and single readings. */
  readonly heartRates: number;
  /** The instants of those and of the runs. */
  readonly heartRateInstants: number;
  readonly variabilities: number;
  readonly nights: number;
  readonly asleepSeconds: readonly number[];
  readonly scores: readonly number[];
  readonly runs: number;
  readonly runPoints: number;
  /** Workouts beside the runs: a ride of another app, and one of an unknown sport. */
  readonly others: number;
  readonly stresses: number;
  readonly kilograms: readonly number[];
}

/** An export as its members, which a test may change. */
export interface SamsungExport {
  readonly files: readonly ZippedFile[];
  readonly ledger: SamsungLedger;
}

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const folder = 'Samsung Health/samsunghealth_user_20260601120000';
const olderFolder = 'Samsung Health/samsunghealth_user_20260101080000';
const [exported, exportedBefore] = ['20260601120000', '20260101080000'];
const own = 'com.sec.android.app.shealth';
const [watch, phone] = ['w4tch00001', 'ph0ne00001'];
const basalKilocalories = 1650;
const noneOfInt = 2_147_483_647;
const noneOfFloat = '3.4028235E38';

type Cell = string | number | null | undefined;
type Cells = Readonly<Record<string, Cell>>;

/** An export of Samsung Health, with its oddities. */
export function samsungExport(user: SamsungUser): SamsungExport {
  const { seed, startMs, days } = user;
  const writer = new Writer(user);
  const { data, steps } = phoneDays({ seed, startMs, days });
  const midnights = steps.map((_, day) => startMs + day * dayMs);
  const activeKilocalories = midnights.map((midnight) =>
    sumOf(data.records.filter((record) => isOn(record, midnight) && /ActiveEnergy/.test(`${record.type}`))),
  );
  const kilograms = data.records.filter(({ type }) => /BodyMass$/.test(`${type}`)).map(amountOf);
  const { instants, ...heart } = addHeart(writer, data.records, midnights);
  const { instants: ofRuns, ...exercises } = addExercises(writer, data.workouts, startMs);
  const ledger: SamsungLedger = {
    steps,
    activeKilocalories,
    basalKilocalories,
    kilograms,
    ...heart,
    ...addNights(writer, data.sleep, midnights),
    ...exercises,
    heartRateInstants: new Set([...instants, ...ofRuns]).size,
  };
  addDays(writer, { data: data.records, midnights, steps, activeKilocalories });
  addMeasurements(writer, data.records, midnights);
  writer.table('shealth.exercise.weather', [{ datauuid: idOf(`${seed} weather`), type: 1, temperature: 17 }]);
  writer.table('shealth.social.leaderboard', [{ datauuid: idOf(`${seed} board`), score: 1 }]);
  writer.add('files/profile.png', 'no picture');
  return { files: writer.files, ledger };
}

/** The export as it is uploaded. */
export const samsungZip = ({ files }: Pick<SamsungExport, 'files'>): Buffer => zipOf(files);

const isOn = ({ startDate }: PhoneItem, midnight: number) => {
  const ms = Date.parse(startDate);
  return ms >= midnight && ms < midnight + dayMs;
};
const amountOf = ({ value }: PhoneItem) => Number(value);
const sumOf = (records: readonly PhoneItem[]) => records.reduce((sum, record) => sum + amountOf(record), 0);
const isOf = (record: PhoneItem, type: string) => record.type === `HKQuantityTypeIdentifier${type}`;
const ofWatch = ({ source }: PhoneItem) => Reflect.get(Object(source), 'deviceType') === 'watch';

/** An id as the phone makes it. */
function idOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}

/** Writes the members of an export. */
class Writer {
  readonly files: ZippedFile[] = [];
  readonly #user: SamsungUser;

  constructor(user: SamsungUser) {
    this.#user = user;
  }

  get seed(): string {
    return this.#user.seed;
  }

  add(name: string, content: string): void {
    this.files.push({ name: `${folder}/${name}`, bytes: Buffer.from(content) });
  }

  /** The name of the JSON of a row. */
  json(table: string, id: string, part: string, elements: readonly object[]): string {
    const name = `${id}.${part}.json`;
    this.add(`jsons/com.samsung.${table}/${id.slice(0, 1)}/${name}`, JSON.stringify(elements));
    return this.nameOf(id, part);
  }

  /** How a row names its JSON: old exports have a flag. */
  nameOf(id: string, part: string): string {
    return this.#user.isOld === true ? '1' : `${id}.${part}.json`;
  }

  /** A table: a line of its name, the header, and rows with one comma more than the header. */
  table(table: string, rows: readonly Cells[], other?: { readonly older: true }): void {
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    // Exports have the name of the table before the names of columns that the platform defines.
    const named =
      this.#user.isOld === true
        ? columns
        : columns.map((one) => `com.samsung.health.${table.split('.').at(-1)}.${one}`);
    const lines = rows.map((row) => `${columns.map((column) => cellOf(row[column])).join(',')},`);
    const text = [`com.samsung.${table},6301002,${columns.length}`, named.join(','), ...lines, ''].join('\n');
    const [inFolder, time] = other === undefined ? [folder, exported] : [olderFolder, exportedBefore];
    this.files.push({
      name: `${inFolder}/com.samsung.${table}.${time}.csv`,
      bytes: Buffer.from(`\uFEFF${text}`),
    });
  }

  /** The times of a row: UTC, with the offset of the user's clock. */
  times(startMs: number, endMs: number): Cells {
    const { offsetMinutes, isOld } = this.#user;
    const two = (value: number) => String(value).padStart(2, '0');
    const size = Math.abs(offsetMinutes);
    const zone = `UTC${offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}${two(size % 60)}`;
    const text = (ms: number) => new Date(ms).toISOString().replace('T', ' ').replace('Z', '');
    return isOld === true
      ? { start_time: startMs, end_time: endMs, time_offset: offsetMinutes * minuteMs }
      : { start_time: text(startMs), end_time: text(endMs), time_offset: zone };
  }

  /** The date of a day as if the user's clock were UTC. */
  day(midnight: number): Cell {
    const ms = midnight + this.#user.offsetMinutes * minuteMs;
    return this.#user.isOld === true ? ms : new Date(ms).toISOString().replace('T', ' ').replace('Z', '');
  }
}

const cellOf = (cell: Cell) => {
  const text = cell == null ? '' : String(cell);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const written = (deviceuuid: string) => ({ pkg_name: own, deviceuuid });

function addHeart(writer: Writer, records: readonly PhoneItem[], midnights: readonly number[]) {
  const rates = records.filter((record) => isOf(record, 'HeartRate'));
  const hours = Map.groupBy(rates, ({ startDate }) => Math.floor(Date.parse(startDate) / hourMs));
  const instants: number[] = [];
  const rows = [...hours].map(([hour, own]): Cells => {
    const start = hour * hourMs;
    const id = idOf(`${writer.seed} heart ${hour}`);
    const values = own.map(amountOf);
    const isLost = hour % 24 === 22;
    const elements = own.map((record) => {
      const ms = Date.parse(record.startDate);
      const rate = amountOf(record);
      return {
        heart_rate: rate,
        heart_rate_min: rate - 1,
        heart_rate_max: rate + 1,
        start_time: ms,
        end_time: ms + minuteMs - 1,
      };
    });
    instants.push(...(isLost ? [start] : elements.map(({ start_time }) => start_time)));
    const binning_data = isLost
      ? writer.nameOf(id, 'binning_data')
      : writer.json('shealth.tracker.heart_rate', id, 'binning_data', elements);
    return {
      ...writer.times(start, start + hourMs - 1000),
      ...written(watch),
      datauuid: id,
      heart_rate: values.reduce((sum, value) => sum + value, 0) / values.length,
      min: hour % 5 === 0 ? noneOfInt : Math.min(...values),
      max: hour % 5 === 0 ? noneOfFloat : Math.max(...values),
      binning_data,
    };
  });
  const spots = midnights.map((midnight): Cells => {
    const at = midnight + 9 * hourMs + 2 * minuteMs;
    instants.push(at);
    return {
      ...writer.times(at, at),
      ...written(phone),
      datauuid: idOf(`${writer.seed} spot ${at}`),
      heart_rate: 71,
    };
  });
  writer.table('shealth.tracker.heart_rate', [...rows, ...spots]);
  const nightly = midnights.map((midnight): Cells => {
    const id = idOf(`${writer.seed} hrv ${midnight}`);
    const elements = Array.from({ length: 12 }, (_, index) => {
      const start = midnight + index * 5 * minuteMs;
      return { rmssd: 40 + index, sdnn: 55 + index, start_time: start, end_time: start + 5 * minuteMs };
    });
    const binning_data = writer.json('health.hrv', id, 'binning_data', elements);
    return { ...writer.times(midnight, midnight + hourMs), ...written(watch), datauuid: id, binning_data };
  });
  writer.table('health.hrv', nightly);
  const stresses = midnights.flatMap((midnight) =>
    [8, 12, 16, 20].map((hour): Cells => {
      const at = midnight + hour * hourMs;
      const id = idOf(`${writer.seed} stress ${at}`);
      return {
        ...writer.times(at, at + hourMs - 1),
        ...written(watch),
        datauuid: id,
        score: 10 + hour,
        max: 90,
      };
    }),
  );
  writer.table('shealth.stress', stresses);
  return {
    instants,
    heartRates: instants.length,
    variabilities: nightly.length * 12,
    stresses: stresses.length,
  };
}

const stages: Readonly<Record<string, number>> = { awake: 40001, core: 40002, deep: 40003, rem: 40004 };
const secondsOf = ({ startDate, endDate }: PhoneItem) => (Date.parse(endDate) - Date.parse(startDate)) / 1000;

/** Nights of the watch, with the phone's beside every second one, and the others in two parts that are combined. */
function addNights(writer: Writer, phases: readonly PhoneItem[], midnights: readonly number[]) {
  const rows: Cells[] = [];
  const stageRows: Cells[] = [];
  const combined: Cells[] = [];
  const asleepSeconds: number[] = [];
  const scores: number[] = [];
  const add = (part: readonly PhoneItem[], more: Cells) => {
    const [startMs, endMs] = [Date.parse(part[0]?.startDate ?? ''), Date.parse(part.at(-1)?.endDate ?? '')];
    const id = idOf(`${writer.seed} sleep ${startMs} ${more.deviceuuid}`);
    const sleep_duration = (endMs - startMs) / minuteMs;
    rows.push({ ...writer.times(startMs, endMs), datauuid: id, sleep_duration, pkg_name: own, ...more });
    if (more.deviceuuid === phone) return;
    for (const one of part) {
      const { start_time, end_time, time_offset } = writer.times(
        Date.parse(one.startDate),
        Date.parse(one.endDate),
      );
      stageRows.push({ sleep_id: id, stage: stages[`${one.stage}`], start_time, end_time, time_offset });
    }
  };
  for (const [index, midnight] of midnights.entries()) {
    const ofNight = phases.filter(({ startDate }) => {
      const ms = Date.parse(startDate);
      return ms >= midnight - 6 * hourMs && ms < midnight + 12 * hourMs;
    });
    const staged = ofNight.filter(({ stage }) => stage !== 'in_bed');
    const asleep = staged
      .filter(({ stage }) => stage !== 'awake')
      .reduce((sum, one) => sum + secondsOf(one), 0);
    const score = { sleep_score: 70 + index, efficiency: 91.5, mental_recovery: 80, physical_recovery: 81 };
    if (index % 2 === 0) {
      add(staged, { deviceuuid: watch, ...score });
      add(
        ofNight.filter(({ stage }) => stage === 'in_bed'),
        { deviceuuid: phone },
      );
      // The phone has twenty minutes before the watch.
      asleepSeconds.push(asleep + 20 * 60);
      scores.push(70 + index);
    } else {
      const combined_id = idOf(`${writer.seed} combined ${midnight}`);
      add(staged.slice(0, 5), { deviceuuid: watch, combined_id, ...score });
      add(staged.slice(5), { deviceuuid: watch, combined_id });
      combined.push({ datauuid: combined_id, sleep_score: 88 });
      asleepSeconds.push(asleep);
      scores.push(88);
    }
  }
  const goal = midnights[0] ?? 0;
  rows.push({ ...writer.times(goal - 2 * hourMs, goal + 6 * hourMs), datauuid: idOf(`${writer.seed} goal`) });
  writer.table('shealth.sleep', rows);
  writer.table('health.sleep_stage', stageRows);
  if (combined.length > 0) writer.table('shealth.sleep_combined', combined);
  // The table of an older export in the same folder has a night that was corrected since.
  const corrected = writer.times(goal - 4 * hourMs, goal + 8 * hourMs);
  writer.table('shealth.sleep', [{ ...corrected, datauuid: idOf('corrected'), sleep_duration: 720 }], {
    older: true,
  });
  return { nights: midnights.length, asleepSeconds, scores };
}

function addExercises(writer: Writer, workouts: readonly PhoneItem[], startMs: number) {
  let runPoints = 0;
  const instants: number[] = [];
  const runs = workouts.map((workout): Cells => {
    const [start, end] = [Date.parse(workout.startDate), Date.parse(workout.endDate)];
    const id = idOf(`${writer.seed} run ${start}`);
    const { points } = recordedRun(workout.id, start, end);
    runPoints = points.length;
    instants.push(...points.map(({ ms }) => ms));
    const live = points.map(({ ms, heartRate, cadence }) => ({
      start_time: ms,
      heart_rate: heartRate,
      cadence: cadence * 2,
    }));
    const positions = points.map(({ ms, latitude, longitude, altitude }) => ({
      start_time: ms,
      latitude,
      longitude,
      altitude,
      accuracy: 5,
    }));
    return {
      ...writer.times(start, end),
      ...written(watch),
      datauuid: id,
      exercise_type: 1002,
      duration: 2_340_000,
      distance: 7100,
      calorie: 420,
      altitude_gain: 21,
      mean_heart_rate: 148,
      max_heart_rate: 171,
      min_heart_rate: noneOfInt,
      vo2_max: 44.5,
      live_data: writer.json('shealth.exercise', id, 'com.samsung.health.exercise.live_data', live),
      location_data: writer.json(
        'shealth.exercise',
        id,
        'com.samsung.health.exercise.location_data',
        positions,
      ),
    };
  });
  const other = (hour: number, cells: Cells): Cells => ({
    ...writer.times(startMs + hour * hourMs, startMs + (hour + 1) * hourMs),
    datauuid: idOf(`${writer.seed} other ${hour}`),
    duration: 3_600_000,
    calorie: noneOfFloat,
    ...cells,
  });
  const others = [
    other(10, { exercise_type: 11007, distance: 20_000, pkg_name: 'com.strava' }),
    other(14, { exercise_type: 99_999, pkg_name: own }),
  ];
  writer.table('shealth.exercise', [...runs, ...others]);
  return { instants, runs: runs.length, runPoints, others: others.length };
}

interface DayTables {
  readonly data: readonly PhoneItem[];
  readonly midnights: readonly number[];
  readonly steps: readonly number[];
  readonly activeKilocalories: readonly number[];
}

function addDays(writer: Writer, { data, midnights, steps, activeKilocalories }: DayTables): void {
  const counted = data.filter((record) => isOf(record, 'StepCount'));
  writer.table(
    'shealth.tracker.pedometer_step_count',
    counted.map((record): Cells => {
      const [start, end] = [Date.parse(record.startDate), Date.parse(record.endDate)];
      const deviceuuid = ofWatch(record) ? watch : phone;
      const datauuid = idOf(`${writer.seed} ${record.id}`);
      const count = amountOf(record);
      return { ...writer.times(start, end), ...written(deviceuuid), datauuid, count, distance: count * 0.75 };
    }),
  );
  const trend = midnights.flatMap((midnight, day): Cells[] => {
    const all = steps[day] ?? 0;
    const row = (source_type: number, count: number): Cells => ({
      day_time: writer.day(midnight),
      source_type,
      count,
      distance: count * 0.75,
      pkg_name: own,
      datauuid: idOf(`${writer.seed} trend ${midnight} ${source_type}`),
    });
    return [row(0, Math.round(all * 0.8)), row(2, Math.round(all * 0.9)), row(-2, all)];
  });
  writer.table('shealth.step_daily_trend', trend);
  writer.table(
    'shealth.calories_burned.details',
    midnights.map((midnight, day) => ({
      day_time: writer.day(midnight),
      active_calorie: activeKilocalories[day],
      rest_calorie: basalKilocalories,
    })),
  );
}

function addMeasurements(writer: Writer, records: readonly PhoneItem[], midnights: readonly number[]): void {
  writer.table('health.device_profile', [
    { deviceuuid: watch, name: 'Galaxy Watch6 (AB12)', device_group: 360003 },
    { deviceuuid: phone, name: 'Galaxy S24', device_group: 360001 },
  ]);
  const weights = records.filter((record) => isOf(record, 'BodyMass'));
  writer.table(
    'health.weight',
    weights.map((record): Cells => {
      const at = Date.parse(record.startDate);
      return {
        ...writer.times(at, at),
        ...written(phone),
        datauuid: idOf(`${writer.seed} weight ${at}`),
        weight: amountOf(record),
        height: 181.5,
        body_fat: noneOfFloat,
        skeletal_muscle_mass: 31.2,
      };
    }),
  );
  const daily = (table: string, hour: number, cells: Cells) =>
    writer.table(
      table,
      midnights.map((midnight) => {
        const at = midnight + hour * hourMs;
        const datauuid = idOf(`${writer.seed} ${table} ${at}`);
        return { ...writer.times(at, at), ...written(watch), datauuid, ...cells };
      }),
    );
  daily('shealth.blood_pressure', 8, { systolic: 121, diastolic: 79 });
  daily('shealth.tracker.oxygen_saturation', 3, { spo2: 96 });
  daily('health.respiratory_rate', 4, { respiratory_rate: 14.5 });
  daily('health.skin_temperature', 4, { temperature: 34.1 });
}
