import { FitBaseType, FitEncoder } from 'fit-file-parser';
import type { SimulatedDay } from '../day-simulation/day.ts';
import { heartRateEveryMs } from '../day-simulation/heart-rate.ts';
import { bodyBatteryAt, hrvAt } from '../day-simulation/strain.ts';
import type { ArchiveUser, WrittenArchive } from '../files/archives.ts';
import { fitOf, type RecordedRun, recordedRun } from '../files/recorded-run.ts';
import { type ZippedFile, zipOf } from '../files/zip.ts';
import { simulatedDay } from '../simulation/days.ts';
import { type SimulatedUser, simulatedUserAt } from '../simulation/simulated-users.ts';
import { offsetMinutesAt } from '../simulation/zone.ts';
import { type Activity, activities } from './payloads/activities.ts';
import { type Daily, dailies } from './payloads/dailies.ts';
import { bloodPressures, bodyComps, userMetrics } from './payloads/occasional.ts';
import { type SleepItem, sleeps } from './payloads/sleeps.ts';

/** The numbers that an import of an account export must give. */
interface GarminLedger {
  readonly days: readonly Daily[];
  readonly nights: readonly SleepItem[];
  readonly activities: readonly Activity[];
  /** The distances of recordings by the ids of their activities, in meters. */
  readonly recordedMeters: ReadonlyMap<number, number>;
  readonly kilograms: readonly number[];
  readonly bloodPressures: number;
  /** What was drunk on each day, in mL. */
  readonly milliliters: number;
  readonly batteryLevels: readonly number[];
  /** Heart rates in the files of days. */
  readonly heartRates: number;
}

/** What a live connection of the same account sends for the same days. */
interface GarminLive {
  readonly dailies: readonly Daily[];
  readonly sleeps: readonly SleepItem[];
  readonly activities: readonly Activity[];
}

/** An export of an account. */
export interface GarminExport {
  readonly files: readonly ZippedFile[];
  readonly uploads: readonly ZippedFile[];
  readonly ledger: GarminLedger;
  readonly live: GarminLive;
}

const minuteMs = 60_000;
const metersPerFloor = 3.048;

/** A time in UTC, which has no mark. */
const gmt = (ms: number) =>
  new Date(ms)
    .toISOString()
    .replace(/Z$/, '')
    .replace(/\.000$/, '.0');

/** The export of a simulated user, with the numbers that its import must give. */
export function accountArchive({ seed, startMs, days }: ArchiveUser): WrittenArchive {
  const dates = Array.from({ length: days }, (_, day) =>
    new Date(startMs + day * dayMs).toISOString().slice(0, 10),
  );
  const export_ = garminExport(simulatedUserAt(seed, 0), dates);
  const { ledger } = export_;
  const numbers = {
    steps: ledger.days.reduce((sum, day) => sum + day.steps, 0),
    nights: ledger.nights.length,
    workouts: ledger.activities.length,
    tracks: ledger.recordedMeters.size,
    weighings: ledger.kilograms.length,
    milliliters: ledger.milliliters,
  };
  return { file: 'garmin-account.zip', bytes: garminZip(export_), numbers };
}

const dayMs = 86_400_000;

/** Packs an export with the files of its devices. */
export function garminZip({ files, uploads }: Pick<GarminExport, 'files' | 'uploads'>): Buffer {
  const part = {
    name: `${folder}/DI-Connect-Uploaded-Files/UploadedFiles_0-_Part1.zip`,
    bytes: zipOf(uploads),
  };
  return zipOf([...files, part]);
}

const folder = 'DI_CONNECT';

/** The export of a synthetic user, with what such exports have of oddities. */
export function garminExport(user: SimulatedUser, dates: readonly string[]): GarminExport {
  const days = dates.map((date) => simulatedDay(user, date));
  const wholes = days.map((day) => ({ startMs: day.startMs, endMs: day.endMs + 24 * 60 * minuteMs }));
  const spans = days.map((day, index) => ({
    day,
    span: wholes[index] ?? day,
    own: { startMs: day.startMs, endMs: day.endMs },
  }));
  const daily = spans.flatMap(({ day, own }) => dailies(day, own));
  const nights = spans.flatMap(({ day, own }) => sleeps(day, own));
  const done = spans.flatMap(({ day, span }) => activities(day, span));
  const weighings = spans.flatMap(({ day, own }) => bodyComps(day, own));
  const pressures = spans.flatMap(({ day, own }) => bloodPressures(day, own));
  const [notRecorded] = done.toReversed();
  const recordings = done.filter((one) => one !== notRecorded);
  const batteries = days.map((day) => batteryOf(day));
  const monitoring = days.map((day) => monitoringFit(day));
  const json = (name: string, value: unknown): ZippedFile => ({
    name: `${folder}/${name}`,
    bytes: Buffer.from(JSON.stringify(value)),
  });
  const id = '12192358';
  const files = [
    // The first file of days has a mark at its beginning, and a day in an older version.
    withMark(
      json('DI-Connect-Aggregator/UDSFile_1.json', [
        ...daily.slice(0, 1).map((one) => ({ ...udsOf(one, null), totalSteps: 1, version: 1 })),
        ...daily.slice(0, 2).map((one, index) => udsOf(one, batteries[index] ?? null)),
        resetDay,
      ]),
    ),
    json(
      'DI-Connect-Aggregator/UDSFile_2.json',
      daily.slice(2).map((one, index) => udsOf(one, batteries[index + 2] ?? null)),
    ),
    json(`DI-Connect-Wellness/a_${id}_sleepData.json`, [
      ...nights.flatMap((night) => [sleepDataOf(night), shortNight(night), guessedNight(night)]),
      {
        calendarDate: dates[0],
        retro: true,
        deepSleepSeconds: 3600,
        sleepWindowConfirmationType: 'ENHANCED_CONFIRMED',
      },
    ]),
    json(`DI-Connect-Wellness/a_${id}_healthStatusData.json`, days.map(healthStatusOf)),
    json(`DI-Connect-Wellness/${id}_userBioMetrics.json`, weighings.flatMap(biometricsOf)),
    json(
      'DI-Connect-Wellness/BloodPressureFile_1.json',
      pressures.map((one) => pressureOf(one)),
    ),
    ...summarizedActivities(done, user, json),
    json(
      `DI-Connect-Metrics/MetricsMaxMetData_1_${id}.json`,
      spans.flatMap(({ day, own }) => userMetrics(day, own)).flatMap(maxMetsOf),
    ),
    json(`DI-Connect-Metrics/TrainingReadinessDTO_1_${id}.json`, days.flatMap(readinessOf)),
    json(`DI-Connect-Metrics/MetricsAcuteTrainingLoad_1_${id}.json`, [{ dailyTrainingLoadAcute: 300 }]),
    json('DI-Connect-Aggregator/HydrationLogFile_1.json', days.flatMap(hydrationOf)),
    json('DI-Connect-User/user_profile.json', { userName: 'a user' }),
  ];
  const uploads = [
    ...recordings.map((one) => ({
      name: `user_${one.activityId}.fit`,
      bytes: fitOf(
        recordingOf(user, one),
        offsetMinutesAt(user.traits.zone, one.startTimeInSeconds * 1000),
        one.activeKilocalories,
      ),
    })),
    ...monitoring.map(({ bytes }, index) => ({ name: `user_9${index}.fit`, bytes })),
  ];
  return {
    files,
    uploads,
    live: { dailies: daily, sleeps: nights, activities: done },
    ledger: {
      days: daily,
      nights,
      activities: done,
      recordedMeters: new Map(
        recordings.map((one) => [one.activityId, recordingOf(user, one).points.at(-1)?.distance ?? 0]),
      ),
      kilograms: weighings.map(({ weightInGrams }) => weightInGrams / 1000),
      bloodPressures: pressures.length,
      milliliters: 750 * days.length,
      batteryLevels: batteries.map(({ highest }) => highest),
      heartRates: monitoring.reduce((sum, { heartRates }) => sum + heartRates, 0),
    },
  };
}

function withMark({ name, bytes }: ZippedFile): ZippedFile {
  return { name, bytes: Buffer.concat([Buffer.from('\uFEFF'), bytes]) };
}

interface Battery {
  readonly atMs: number;
  readonly highest: number;
}

function batteryOf({ user, plans, startMs }: SimulatedDay): Battery {
  const atMs = startMs + 9 * 60 * minuteMs;
  return { atMs, highest: bodyBatteryAt(user, plans, atMs) };
}

/** A day of a device whose clock was reset: it has no measurement. */
const resetDay = {
  calendarDate: '2013-01-01',
  totalSteps: 0,
  dailyStepGoal: 8000,
  bmrKilocalories: 1500,
  version: 1,
};

function udsOf(daily: Daily, battery: Battery | null) {
  const startMs = daily.startTimeInSeconds * 1000;
  const endMs = startMs + daily.durationInSeconds * 1000;
  const shiftMs = daily.startTimeOffsetInSeconds * 1000;
  const resting = 'restingHeartRateInBeatsPerMinute' in daily ? daily.restingHeartRateInBeatsPerMinute : 0;
  const { averageStressLevel, maxStressLevel } = daily;
  return {
    calendarDate: daily.calendarDate,
    wellnessStartTimeGmt: gmt(startMs),
    wellnessEndTimeGmt: gmt(endMs),
    wellnessStartTimeLocal: gmt(startMs + shiftMs),
    wellnessEndTimeLocal: gmt(endMs + shiftMs),
    totalSteps: daily.steps,
    totalDistanceMeters: daily.distanceInMeters,
    activeKilocalories: daily.activeKilocalories,
    bmrKilocalories: daily.bmrKilocalories,
    floorsAscendedInMeters: daily.floorsClimbed * metersPerFloor,
    moderateIntensityMinutes: daily.moderateIntensityDurationInSeconds / 60,
    vigorousIntensityMinutes: daily.vigorousIntensityDurationInSeconds / 60,
    currentDayRestingHeartRate: resting,
    // The mean of 7 days is another value.
    restingHeartRate: (resting ?? 0) + 4,
    allDayStress: {
      aggregatorList: [
        { type: 'ASLEEP', averageStressLevel: -2 },
        { type: 'TOTAL', averageStressLevel, maxStressLevel },
      ],
    },
    bodyBattery: {
      bodyBatteryStatList:
        battery === null
          ? []
          : [
              statOf('HIGHEST', battery.atMs + shiftMs, battery.highest, 'MEASURED'),
              statOf('LOWEST', battery.atMs + shiftMs + 8 * 60 * minuteMs, 3, 'MODELED'),
              statOf('MOSTRECENT', battery.atMs + shiftMs + 9 * 60 * minuteMs, 0, 'RESET'),
            ],
    },
    hydration: { valueInML: 750, sweatLossInML: 400 },
    version: 3,
  };
}

const statOf = (
  bodyBatteryStatType: string,
  localMs: number,
  statsValue: number,
  bodyBatteryStatus: string,
) => ({
  bodyBatteryStatType,
  statTimestamp: gmt(localMs),
  statsValue,
  bodyBatteryStatus,
});

function sleepDataOf(night: SleepItem) {
  const startMs = night.startTimeInSeconds * 1000;
  const endMs = startMs + (night.durationInSeconds + night.awakeDurationInSeconds) * 1000;
  return {
    calendarDate: night.calendarDate,
    sleepStartTimestampGMT: gmt(startMs),
    sleepEndTimestampGMT: gmt(endMs),
    sleepWindowConfirmationType: 'ENHANCED_CONFIRMED_FINAL',
    deepSleepSeconds: night.deepSleepDurationInSeconds,
    lightSleepSeconds: night.lightSleepDurationInSeconds,
    remSleepSeconds: night.remSleepInSeconds,
    awakeSleepSeconds: night.awakeDurationInSeconds,
    unmeasurableSeconds: night.unmeasurableSleepInSeconds,
    averageRespiration: 14,
    sleepScores: { overallScore: night.overallSleepScore.value, qualityScore: 70 },
    spo2SleepSummary: { averageSPO2: 0 },
  };
}

/** The same night as an earlier computation had it. */
const shortNight = (night: SleepItem) => ({
  ...sleepDataOf(night),
  sleepEndTimestampGMT: gmt((night.startTimeInSeconds + 3600) * 1000),
  deepSleepSeconds: 3600,
  lightSleepSeconds: 0,
  remSleepSeconds: 0,
  awakeSleepSeconds: 0,
});

const guessedNight = (night: SleepItem) => ({
  ...sleepDataOf(night),
  sleepStartTimestampGMT: gmt((night.startTimeInSeconds - 7200) * 1000),
  sleepWindowConfirmationType: 'UNCONFIRMED',
});

function healthStatusOf({ user, date, startMs, resting_heart_rate_bpm }: SimulatedDay) {
  return {
    calendarDate: date,
    metrics: [
      { type: 'HRV', value: hrvAt(user, startMs) },
      { type: 'HR', value: resting_heart_rate_bpm + 1 },
      { type: 'SPO2', value: 0 },
      { type: 'SKIN_TEMP_C', value: 0 },
      { type: 'RESPIRATION', value: 13.5 },
    ],
  };
}

function biometricsOf(weighing: ReturnType<typeof bodyComps>[number]) {
  const localMs = (weighing.measurementTimeInSeconds + weighing.measurementTimeOffsetInSeconds) * 1000;
  const entry = (grams: number, version: number) => ({
    metaData: { calendarDate: gmt(localMs), sequence: version },
    weight: { weight: grams, bodyFat: 0, boneMass: weighing.boneMassInGrams },
    version,
  });
  return [entry(weighing.weightInGrams, 2), entry(weighing.weightInGrams + 5000, 1)];
}

function pressureOf(one: ReturnType<typeof bloodPressures>[number]) {
  const local = new Date((one.measurementTimeInSeconds + one.measurementTimeOffsetInSeconds) * 1000);
  const parts = [local.getUTCFullYear(), local.getUTCMonth() + 1, local.getUTCDate(), local.getUTCHours()];
  return {
    metaData: { calendarDate: [...parts, local.getUTCMinutes()] },
    bloodPressure: { systolic: one.systolic, diastolic: one.diastolic, pulse: one.pulse, notes: 'seated' },
  };
}

function maxMetsOf({ calendarDate, vo2Max, vo2MaxCycling }: ReturnType<typeof userMetrics>[number]) {
  return [
    { calendarDate, vo2MaxValue: vo2Max, sport: 'RUNNING' },
    { calendarDate, vo2MaxValue: vo2MaxCycling, sport: 'CYCLING' },
  ];
}

function readinessOf({ date, startMs, offset_minutes }: SimulatedDay) {
  const at = (hours: number, score: number, inputContext: string) => ({
    calendarDate: date,
    timestamp: gmt(startMs + hours * 60 * minuteMs),
    timestampLocal: gmt(startMs + (hours * 60 + offset_minutes) * minuteMs),
    score,
    level: 'MODERATE',
    inputContext,
  });
  return [at(19, 20, 'AFTER_POST_EXERCISE_RESET'), at(7, 71, 'AFTER_WAKEUP_RESET')];
}

function hydrationOf({ date, startMs, offset_minutes }: SimulatedDay) {
  const at = (hours: number, valueInML: number, hydrationSource: string) => ({
    calendarDate: date,
    timestampLocal: gmt(startMs + (hours * 60 + offset_minutes) * minuteMs),
    persistedTimestampGMT: gmt(startMs + hours * 60 * minuteMs + 1000),
    valueInML,
    hydrationSource,
    estimatedSweatLossInML: 0,
    uuid: { uuid: `${date}-${hours}` },
  });
  return [
    at(8, 500, 'GARMIN_GCM'),
    at(12, 500, 'GARMIN_GCM'),
    at(13, -250, 'GARMIN_GCM'),
    { ...at(18, 0, 'GARMIN_ACTIVITY'), estimatedSweatLossInML: 700 },
  ];
}

/** The list of activities in two files. A recording is listed twice, and one activity is a container of another one. */
function summarizedActivities(
  done: readonly Activity[],
  user: SimulatedUser,
  json: (name: string, value: unknown) => ZippedFile,
): ZippedFile[] {
  const listed = done.map((one) => activityOf(user, one));
  const [first] = listed;
  const oddities =
    first === undefined
      ? []
      : [
          { ...first, activityId: first.activityId + 7, name: 'Copy of an activity' },
          {
            ...first,
            activityId: first.activityId - 7,
            name: 'Container',
            parent: true,
            activityType: 'multi_sport',
          },
        ];
  const half = Math.ceil(listed.length / 2);
  const name = (part: number) => `DI-Connect-Fitness/user_${part}_summarizedActivities.json`;
  return [
    json(name(0), [{ summarizedActivitiesExport: [...oddities, ...listed.slice(0, half)] }]),
    json(name(1001), [{ summarizedActivitiesExport: listed.slice(half) }]),
  ];
}

/** Milliseconds, centimeters, units of 10 m/s and kJ. The list says when an activity began by the second, the recording is later. */
function activityOf({ traits: { zone } }: SimulatedUser, one: Activity) {
  const startMs = one.startTimeInSeconds * 1000;
  const meters = 'distanceInMeters' in one ? one.distanceInMeters : undefined;
  return {
    activityId: one.activityId,
    name: one.activityName,
    activityType: one.activityType.toLowerCase(),
    startTimeGmt: startMs,
    beginTimestamp: startMs,
    startTimeLocal: startMs + offsetMinutesAt(zone, startMs) * minuteMs,
    duration: one.durationInSeconds * 1000,
    elapsedDuration: one.durationInSeconds * 1000,
    calories: one.activeKilocalories * 4.19,
    avgHr: 'averageHeartRateInBeatsPerMinute' in one ? one.averageHeartRateInBeatsPerMinute : 0,
    maxHr: 'maxHeartRateInBeatsPerMinute' in one ? one.maxHeartRateInBeatsPerMinute : 0,
    ...(meters === undefined
      ? {}
      : { distance: meters * 100, avgSpeed: meters / one.durationInSeconds / 10 }),
    parent: false,
  };
}

const lateMs = 2000;

/** The recording of an activity. What the user edited is in the list: a recording has another distance. */
function recordingOf(user: SimulatedUser, one: Activity): RecordedRun {
  const startMs = one.startTimeInSeconds * 1000 + lateMs;
  return recordedRun(`${user.seed}/${one.activityId}`, startMs, startMs + one.durationInSeconds * 1000);
}

/** The file of a day of a device: heart rates of each quarter of an hour, and steps since midnight. */
function monitoringFit(day: SimulatedDay): { readonly bytes: Uint8Array; readonly heartRates: number } {
  const encoder = new FitEncoder();
  const at = (ms: number) => FitEncoder.toFitTimestamp(new Date(ms));
  const { Enum, Uint16, Uint32, Uint8 } = FitBaseType;
  const field = (number: number, baseType: FitBaseType, size: number, value: number) => ({
    number,
    baseType,
    size,
    value,
  });
  encoder.writeMessage(
    0,
    [
      field(0, Enum, 1, 32),
      field(1, Uint16, 2, 255),
      field(2, Uint16, 2, 7),
      field(4, Uint32, 4, at(day.startMs)),
    ],
    0,
  );
  let [heartRates, steps] = [0, 0];
  for (const minute of day.minutes) {
    steps += minute.steps;
    if ((minute.startMs - day.startMs) % (15 * minuteMs) !== 0) continue;
    const rate = day.heart_rates[Math.floor((minute.startMs - day.startMs) / heartRateEveryMs)] ?? 0;
    encoder.writeMessage(
      55,
      [field(253, Uint32, 4, at(minute.startMs)), field(3, Uint32, 4, steps), field(5, Enum, 1, 6)],
      1,
    );
    if (rate === 0) continue;
    heartRates += 1;
    encoder.writeMessage(55, [field(253, Uint32, 4, at(minute.startMs)), field(27, Uint8, 1, rate)], 2);
  }
  return { bytes: encoder.close(), heartRates };
}
