import { offsetMinutesIn } from '../../domain/time/zone.ts';
import { type PhoneItem, phoneDays } from '../phone/days.ts';
import { randomOf } from '../simulation/random.ts';
import { recordedRun } from './recorded-run.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A user whose export from Google Takeout is written. */
export interface FitbitUser {
  readonly seed: string;
  /** The first midnight of the user's clock, in UTC milliseconds. */
  readonly startMs: number;
  /** At least three, so that each of the two trees has a day that the other one lacks. */
  readonly days: number;
  readonly zone: string;
  /** The clock of the members without a zone, except for nights, which are always local. */
  readonly jsonClock?: 'utc' | 'local';
}

/** What is in an export, each value once. */
export interface FitbitLedger {
  readonly steps: number;
  /** Of these, those in the merged JSON. */
  readonly mergedSteps: number;
  readonly meters: number;
  readonly kilocalories: number;
  readonly floors: number;
  readonly heartRates: number;
  readonly nights: readonly FitbitNight[];
  readonly runs: number;
  /** The positions of a run, by one device. */
  readonly runPoints: number;
  readonly weights: readonly number[];
  readonly restingRates: readonly number[];
  readonly oxygenValues: number;
  readonly variabilities: number;
  readonly temperatures: number;
}

interface FitbitNight {
  readonly startMs: number;
  readonly endMs: number;
  readonly asleepSeconds: number;
  readonly awakeSeconds: number;
  readonly score: number | null;
}

const two = (value: number) => String(value).padStart(2, '0');
const isoOf = (ms: number) => new Date(ms).toISOString();
const zoned = (ms: number) => isoOf(ms).replace(/\.\d+/, '');
const dateOf = (ms: number) => isoOf(ms).slice(0, 10);

/** `07/11/26 14:55:42` of a time without a zone. */
function american(unzoned: number): string {
  const text = isoOf(unzoned);
  return `${text.slice(5, 7)}/${text.slice(8, 10)}/${text.slice(2, 4)} ${text.slice(11, 19)}`;
}

const csv = (columns: string, rows: readonly (readonly (string | number)[])[]) =>
  [columns, ...rows.map((row) => row.join(',')), ''].join('\n');

const root = 'Takeout/Google Health/';
const [json, activity, fitness] = [
  `${root}Global Export Data/`,
  `${root}Physical Activity_GoogleData/`,
  `${root}Health Fitness Data_GoogleData/`,
];
const sources = { watch: 'Google Pixel Watch', phone: 'MobileTrack', relayed: 'Fit Health Connect' } as const;

/** A value of a minute by one device. */
interface MinuteValue {
  readonly ms: number;
  readonly value: number;
}

/**
 * The members of an export and what is in it. It has what real ones have: two trees with the same data of which each lacks a day,
 * three sources of the same steps, nights in local time beside steps in UTC, an offset that is a placeholder, a night in two
 * chunks, places filled up into the future, and members that are nobody's data.
 */
export function fitbitArchive(user: FitbitUser): {
  readonly members: Readonly<Record<string, string>>;
  readonly ledger: FitbitLedger;
} {
  const { seed, startMs, days } = user;
  const { data } = phoneDays({ seed, startMs, days });
  const time = timesOf(user);
  const ofType = (type: string, device?: string) =>
    data.records.filter(
      (record) =>
        record.type === `HKQuantityTypeIdentifier${type}` &&
        (device === undefined || Reflect.get(Object(record.source), 'deviceName') === device),
    );
  const sums = sumsOf(user, ofType('StepCount', 'Apple Watch'), ofType('StepCount', 'iPhone'), time);
  const rates = ofType('HeartRate').map(({ startDate, value }) => ({
    ms: Date.parse(startDate),
    value: Number(value),
  }));
  const nights = nightsOf(data.sleep, time);
  const runs = runsOf(seed, data.workouts, time);
  const body = bodyOf(user, ofType('BodyMass'), time);
  return {
    members: {
      ...sums.members,
      ...heartRates(user, rates, time),
      ...nights.members,
      ...runs.members,
      ...body.members,
      ...others(user),
    },
    ledger: {
      ...sums.ledger,
      heartRates: rates.length,
      nights: nights.ledger,
      ...runs.ledger,
      ...body.ledger,
    },
  };
}

type Times = ReturnType<typeof timesOf>;

function timesOf({ zone, jsonClock = 'utc' }: FitbitUser) {
  const offset = (ms: number) => offsetMinutesIn(zone, ms) ?? 0;
  const local = (ms: number) => ms + offset(ms) * minuteMs;
  return {
    offset,
    local,
    /** In the clock of the members without a zone. */
    unzoned: (ms: number) => (jsonClock === 'utc' ? ms : local(ms)),
    /** `+05:30`. */
    offsetText(ms: number) {
      const minutes = offset(ms);
      const size = Math.abs(minutes);
      return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
    },
  };
}

const metersPerStep = 0.75;
const kilocaloriesPerStep = 0.04;
const floorEverySteps = 500;
const walkMinutes = 10;

// A walk in its minutes, in whole steps.
function minutesOf(walks: readonly PhoneItem[]): MinuteValue[] {
  return walks.flatMap(({ startDate, value }) => {
    const [count, start] = [Number(value), Date.parse(startDate)];
    return Array.from({ length: walkMinutes }, (_, minute) => ({
      ms: start + minute * minuteMs,
      value: Math.floor((count * (minute + 1)) / walkMinutes) - Math.floor((count * minute) / walkMinutes),
    }));
  });
}

function sumsOf(user: FitbitUser, watch: readonly PhoneItem[], phone: readonly PhoneItem[], time: Times) {
  const [byWatch, byPhone] = [minutesOf(watch), minutesOf(phone)];
  // The JSON ends a day of UTC earlier than the tables.
  const jsonEndMs = Math.floor((user.startMs + (user.days - 1) * dayMs) / dayMs) * dayMs;
  const merged = byWatch.filter(({ ms }) => ms < jsonEndMs);
  const month = dateOf(user.startMs);
  const jsonOf = (factor: number) =>
    JSON.stringify(
      merged.map(({ ms, value }) => ({
        dateTime: american(time.unzoned(ms)),
        value: String(value * factor),
      })),
    );
  const rowsOf = (values: readonly MinuteValue[], source: string, factor: number) =>
    values.map(({ ms, value }) => [zoned(ms), value * factor, source] as const);
  const ofAll = (factor: number) => [
    ...rowsOf(byPhone, sources.phone, factor),
    ...rowsOf(byWatch, sources.watch, factor),
    // What the phone wrote into Health Connect comes back with seconds of its own.
    ...rowsOf(
      byPhone.map(({ ms, value }) => ({ ms: ms + 1234, value })),
      sources.relayed,
      factor,
    ),
  ];
  const floors = byWatch.filter(({ value }, index) => value > 0 && index % floorEverySteps === 0);
  const steps = byWatch.reduce((sum, { value }) => sum + value, 0);
  const calories = Array.from({ length: user.days * 24 }, (_, hour) => ({
    dateTime: american(time.local(user.startMs + hour * hourMs)),
    value: '1.2',
  }));
  return {
    members: {
      [`${json}steps-${month}.json`]: jsonOf(1),
      [`${json}distance-${month}.json`]: jsonOf(metersPerStep * 100),
      [`${json}calories-${month}.json`]: JSON.stringify(calories),
      [`${activity}Steps/steps_${month}.csv`]: csv('timestamp,steps,data source', ofAll(1)),
      [`${activity}Distance/distance_${month}.csv`]: csv(
        'timestamp,distance,data source',
        ofAll(metersPerStep),
      ),
      [`${activity}Active Energy Burned/active_energy_burned_${month}.csv`]: csv(
        'timestamp,Kilocalories,data source',
        rowsOf(byWatch, 'Google Health App', kilocaloriesPerStep),
      ),
      [`${activity}Floors/floors_${month}.csv`]: csv(
        'timestamp,floors,data source',
        floors.map(({ ms }) => [zoned(ms), 1, sources.watch]),
      ),
    },
    ledger: {
      steps,
      mergedSteps: merged.reduce((sum, { value }) => sum + value, 0),
      meters: steps * metersPerStep,
      kilocalories: steps * kilocaloriesPerStep,
      floors: floors.length,
    },
  };
}

// The first day is in the JSON only. All others are in both trees.
function heartRates(user: FitbitUser, rates: readonly MinuteValue[], time: Times): Record<string, string> {
  const days = [...Map.groupBy(rates, ({ ms }) => dateOf(ms))];
  const secondMs = (Math.ceil(user.startMs / dayMs) + 1) * dayMs;
  const members: Record<string, string> = {};
  for (const [date, values] of days) {
    const elements = values.map(({ ms, value }) => ({
      dateTime: american(time.unzoned(ms)),
      value: { bpm: value, confidence: 2 },
    }));
    // Not worn: such a value is none.
    const unsure = {
      dateTime: american(time.unzoned((values[0]?.ms ?? 0) + 1000)),
      value: { bpm: 70, confidence: 0 },
    };
    members[`${json}heart_rate-${date}.json`] = JSON.stringify([...elements, unsure]);
    if (Date.parse(date) >= secondMs)
      members[`${activity}Heart Rate/heart_rate_${date}.csv`] = csv(
        'timestamp,beats per minute,data source',
        values.map(({ ms, value }) => [zoned(ms), `${value}.0`, sources.watch]),
      );
  }
  return members;
}

const levels: Readonly<Record<string, string>> = { core: 'light', deep: 'deep', rem: 'rem', awake: 'wake' };
const shortWake = { afterMs: 30 * minuteMs, seconds: 120 };

function nightsOf(phases: readonly PhoneItem[], time: Times) {
  const staged = phases.filter(({ stage }) => stage !== 'in_bed');
  const nights = [...Map.groupBy(staged, ({ id }) => id.slice(0, id.lastIndexOf(':night:'))).values()];
  const elements: object[] = [];
  const sleeps: (readonly (string | number)[])[] = [];
  const stages: (readonly (string | number)[])[] = [];
  const scores: (readonly (string | number)[])[] = [];
  const ledger = nights.map((night, index): FitbitNight => {
    const startMs = Date.parse(night[0]?.startDate ?? '');
    const endMs = Date.parse(night.at(-1)?.endDate ?? '');
    const seconds = (wanted: (stage: unknown) => boolean) =>
      night
        .filter(({ stage }) => wanted(stage))
        .reduce(
          (sum, { startDate, endDate }) => sum + (Date.parse(endDate) - Date.parse(startDate)) / 1000,
          0,
        );
    const isLast = index === nights.length - 1;
    const wake = isLast ? 0 : shortWake.seconds;
    const awakeSeconds = seconds((stage) => stage === 'awake') + wake;
    const asleepSeconds = seconds((stage) => stage !== 'awake') - wake;
    const logId = 30_000_000_000 + index;
    const score = index === 0 || isLast ? null : 70 + index;
    if (!isLast) {
      elements.push({
        logId,
        dateOfSleep: dateOf(time.local(endMs)),
        startTime: isoOf(time.local(startMs)).slice(0, -1),
        endTime: isoOf(time.local(endMs)).slice(0, -1),
        duration: endMs - startMs,
        minutesToFallAsleep: 5,
        minutesAsleep: asleepSeconds / 60,
        minutesAwake: awakeSeconds / 60,
        efficiency: 93,
        type: 'stages',
        mainSleep: true,
        levels: {
          data: night.map(({ stage, startDate, endDate }) => ({
            dateTime: isoOf(time.local(Date.parse(startDate))).slice(0, -1),
            level: levels[String(stage)],
            seconds: (Date.parse(endDate) - Date.parse(startDate)) / 1000,
          })),
          shortData: [
            {
              dateTime: isoOf(time.local(startMs + shortWake.afterMs)).slice(0, -1),
              level: 'wake',
              seconds: shortWake.seconds,
            },
          ],
        },
      });
      scores.push([logId, zoned(endMs), score ?? 0]);
    }
    const id = `812345678901234${1000 + index}`;
    // A placeholder: the clock of the user is not that of UTC.
    const offset = index === 1 ? '+00:00' : time.offsetText(startMs);
    sleeps.push([
      id,
      'STAGES',
      asleepSeconds / 60,
      awakeSeconds / 60,
      offset,
      zoned(startMs),
      time.offsetText(endMs),
      zoned(endMs),
      'DERIVED',
    ]);
    for (const { stage, startDate, endDate } of night)
      stages.push([
        id,
        String(levels[String(stage)] === 'wake' ? 'AWAKE' : levels[String(stage)]).toUpperCase(),
        zoned(Date.parse(startDate)),
        zoned(Date.parse(endDate)),
      ]);
    return { startMs, endMs, asleepSeconds, awakeSeconds, score };
  });
  const month = dateOf(ledger[0]?.startMs ?? 0);
  return {
    members: {
      [`${json}sleep-${month}.json`]: JSON.stringify(elements),
      // A night at the border of two chunks is in both.
      [`${json}sleep-${dateOf(ledger.at(-1)?.startMs ?? 0)}.json`]: JSON.stringify(elements.slice(-1)),
      [`${fitness}UserSleeps_${month}.csv`]: csv(
        'sleep_id,sleep_type,minutes_asleep,minutes_awake,start_utc_offset,sleep_start,end_utc_offset,sleep_end,data_source',
        sleeps,
      ),
      [`${fitness}UserSleepStages_${month}.csv`]: csv(
        'sleep_id,sleep_stage_type,sleep_stage_start,sleep_stage_end',
        stages,
      ),
      [`${root}Sleep Score/sleep_score.csv`]: csv('sleep_log_entry_id,timestamp,overall_score', scores),
    },
    ledger,
  };
}

const runMeters = 7100;

function runsOf(seed: string, workouts: readonly PhoneItem[], time: Times) {
  const spans = workouts.map(({ startDate, endDate }) => ({
    startMs: Date.parse(startDate),
    endMs: Date.parse(endDate),
  }));
  const elements = spans.map(({ startMs, endMs }, index) => ({
    logId: 40_000_000_000 + index,
    activityName: 'Run',
    averageHeartRate: 148,
    calories: 420,
    duration: endMs - startMs,
    activeDuration: endMs - startMs - minuteMs,
    steps: 6000,
    distance: runMeters / 1000,
    distanceUnit: 'Kilometer',
    logType: 'tracker',
    startTime: american(time.unzoned(startMs)),
    source: { type: 'tracker', name: 'Pixel Watch' },
  }));
  // The first run is in the JSON only.
  const rows = spans
    .slice(1)
    .map(({ startMs, endMs }, index) => [
      `712345678901234${1000 + index}`,
      zoned(startMs),
      zoned(endMs),
      time.offsetText(startMs),
      'Run',
      'TRACKER',
      420,
      6000,
      runMeters * 1000,
      148,
      171,
    ]);
  const last = spans.at(-1) ?? { startMs: 0, endMs: 0 };
  const { points } = recordedRun(seed, last.startMs, last.endMs);
  // The phone records the same way a few meters beside it, and less of it. Both also record outside of runs.
  const positions = [
    { ms: last.startMs - hourMs, latitude: 48, longitude: 11, altitude: 500 },
    ...points,
  ].flatMap(({ ms, latitude, longitude, altitude }, index) => [
    [zoned(ms), latitude, longitude, altitude, sources.watch],
    ...(index % 2 === 0 ? [[zoned(ms + 1000), latitude + 0.0001, longitude, altitude, sources.phone]] : []),
  ]);
  return {
    members: {
      [`${json}exercise-0.json`]: JSON.stringify(elements),
      [`${fitness}UserExercises_${dateOf(spans[0]?.startMs ?? 0)}.csv`]: csv(
        'exercise_id,exercise_start,exercise_end,utc_offset,activity_name,log_type,tracker_total_calories,tracker_total_steps,tracker_total_distance_mm,tracker_avg_heart_rate,tracker_peak_heart_rate',
        rows,
      ),
      [`${activity}GPS Location/gps_location_${dateOf(last.startMs)}.csv`]: csv(
        'timestamp,latitude,longitude,altitude,data source',
        positions,
      ),
    },
    ledger: { runs: spans.length, runPoints: points.length },
  };
}

function bodyOf({ seed, startMs, days }: FitbitUser, weights: readonly PhoneItem[], time: Times) {
  const random = randomOf(`${seed} body`);
  const midnights = Array.from({ length: days }, (_, day) => startMs + day * dayMs);
  const dateText = (ms: number) => american(time.local(ms)).slice(0, 8);
  const restingRates = midnights.map(() => random.whole(50, 60) + 0.25);
  const nightly = (count: number) =>
    midnights.flatMap((ms) => Array.from({ length: count }, (_, at) => ms + at * 5 * minuteMs));
  const oxygen = nightly(20).map((ms, index) => [zoned(ms), index % 7 === 0 ? '50.0' : '96.5'] as const);
  const variability = nightly(12).map((ms) => [
    isoOf(time.local(ms)).slice(0, 19),
    random.whole(20, 60),
    0.97,
  ]);
  const temperature = nightly(10).map((ms) => [zoned(ms), '33.25', sources.watch]);
  const first = dateOf(startMs + dayMs);
  const day = (index: number) => dateOf(time.local((midnights[index] ?? 0) + hourMs));
  return {
    members: {
      [`${json}resting_heart_rate-${first}.json`]: JSON.stringify([
        ...restingRates.map((value, index) => ({
          dateTime: `${dateText((midnights[index] ?? 0) + hourMs)} 00:00:00`,
          value: { date: dateText((midnights[index] ?? 0) + hourMs), value, error: 6.7 },
        })),
        // The rest of the year, of which nothing is known yet.
        ...Array.from({ length: 30 }, (_, index) => ({
          dateTime: american(startMs + (days + index + 1) * dayMs).replace(/ .*/, ' 00:00:00'),
          value: { date: null, value: 0, error: 0 },
        })),
      ]),
      [`${json}demographic_vo2_max-${first}.json`]: JSON.stringify([
        {
          dateTime: `${dateText(startMs + hourMs)} 00:00:00`,
          value: {
            demographicVO2Max: 44,
            demographicVO2MaxError: 3,
            filteredDemographicVO2Max: 43.5,
            filteredDemographicVO2MaxError: 3,
          },
        },
      ]),
      [`${json}weight-${first}.json`]: JSON.stringify(
        weights.map(({ startDate, value }, index) => ({
          logId: 1_700_000_000_000 + index,
          weight: Number((Number(value) / 0.45359237).toFixed(1)),
          bmi: 22.5,
          fat: 20.5,
          date: american(time.local(Date.parse(startDate))).slice(0, 8),
          time: american(time.local(Date.parse(startDate))).slice(9),
          source: 'Aria',
        })),
      ),
      [`${activity}Weight/weight.csv`]: csv(
        'timestamp,weight grams,data source',
        weights.map(({ startDate, value }) => [
          startDate.replace(/Z$/, '.123456Z'),
          Math.round(Number(value) * 1000),
          'Google Health App',
        ]),
      ),
      [`${root}Oxygen Saturation (SpO2)/Minute SpO2 - ${first}.csv`]: csv('timestamp,value', oxygen),
      [`${root}Heart Rate Variability/Heart Rate Variability Details - ${first}.csv`]: csv(
        'timestamp,rmssd,coverage',
        variability,
      ),
      [`${root}Heart Rate Variability/Daily Respiratory Rate Summary - ${first}.csv`]: csv(
        'timestamp,daily_respiratory_rate',
        [[`${day(1)}T00:00:00`, '14.2']],
      ),
      [`${activity}Respiratory Rate/daily_respiratory_rate.csv`]: csv(
        'timestamp,breaths per minute,data source',
        [
          [`${day(1)}T00:00:00Z`, 14200, 'Google Health App'],
          [`${day(2)}T00:00:00Z`, 15100, 'Google Health App'],
        ],
      ),
      [`${activity}Body Temperature/body_temperature_${first}.csv`]: csv(
        'timestamp,temperature celsius,data source',
        temperature,
      ),
      [`${root}Daily Readiness/Daily Readiness Score - ${first}.csv`]: csv(
        'date,readiness_score_value,readiness_state,activity_subcomponent,sleep_subcomponent,hrv_subcomponent',
        [[day(1), 71, 'GOOD', 60, 75, 80]],
      ),
    },
    ledger: {
      weights: weights.map(({ value }) => Math.round(Number(value) * 1000) / 1000),
      restingRates,
      oxygenValues: oxygen.filter(([, value]) => value !== '50.0').length,
      variabilities: variability.length,
      temperatures: temperature.length,
    },
  };
}

// Members without data, of which most have a name that promises some.
function others({ zone, startMs }: FitbitUser): Record<string, string> {
  const first = dateOf(startMs + dayMs);
  return {
    [`${root}Your Profile/Profile.csv`]: csv('id,timezone', [['X', zone]]),
    [`${root}Biometrics/Glucose 202603.csv`]: 'no data',
    [`${root}Stress Score/Stress Score.csv`]: 'DATE,UPDATED_AT,STRESS_SCORE,CALCULATION_FAILED\n',
    [`${root}Temperature/Computed Temperature - ${first}.csv`]: csv(
      'type,sleep_start,sleep_end,temperature_samples,nightly_temperature',
      [['SKIN', `${first}T00:00:00`, `${first}T06:00:00`, 360, 33.9]],
    ),
    [`${root}Active Zone Minutes (AZM)/Active Zone Minutes - ${first}.csv`]: csv(
      'date_time,heart_zone_id,total_minutes',
      [[`${first}T18:05`, 'CARDIO', 2]],
    ),
    [`${fitness}UserActivityProbabilities_${first}.csv`]: csv('id,probability', [['1', 0.5]]),
    [`${fitness}Steps README.txt`]: 'What the table of steps contains.',
    'Takeout/archive_browser.html': '<html></html>',
  };
}
