import { dayMs } from '../../domain/time/time.ts';
import { randomOf } from '../../sandbox/simulation/random.ts';
import { seed, startMs } from '../dataset/plan.ts';

/** A user who is connected to an account at the device maker. */
export interface ConnectedUser {
  readonly userId: string;
  readonly account: string;
}

/** The heart rates of a full day, one per 15 s. */
export const valuesPerDay = 5760;
const everySeconds = 15;

/** A push of one local day of each user: the record of the day with its 5,760 heart rates. */
export function dailiesOf(users: readonly ConnectedUser[], day: number): string {
  return JSON.stringify({ dailies: users.map((user) => dailyOf(user, day)) });
}

function dailyOf({ account }: ConnectedUser, day: number) {
  const random = randomOf(`${seed} ${account} ${day}`);
  const rates: Record<string, number> = {};
  for (let tick = 0; tick < valuesPerDay; tick++) rates[String(tick * everySeconds)] = random.whole(48, 176);
  return {
    userId: account,
    summaryId: `${account}-${day}`,
    calendarDate: new Date(startMs + day * dayMs).toISOString().slice(0, 10),
    activityType: 'WALKING',
    startTimeInSeconds: (startMs + day * dayMs) / 1000,
    startTimeOffsetInSeconds: 0,
    durationInSeconds: 86_400,
    steps: random.whole(2000, 16_000),
    distanceInMeters: random.whole(1500, 12_000),
    activeTimeInSeconds: random.whole(1800, 9000),
    activeKilocalories: random.whole(120, 900),
    bmrKilocalories: 1650,
    moderateIntensityDurationInSeconds: random.whole(0, 3600),
    vigorousIntensityDurationInSeconds: random.whole(0, 1800),
    floorsClimbed: random.whole(0, 20),
    minHeartRateInBeatsPerMinute: 48,
    averageHeartRateInBeatsPerMinute: 112,
    maxHeartRateInBeatsPerMinute: 176,
    timeOffsetHeartRateSamples: rates,
  };
}

const nightSeconds = 8 * 3600;

/** A push of one night of each user, with its stages and without samples. */
export function sleepsOf(users: readonly ConnectedUser[], day: number): string {
  return JSON.stringify({ sleeps: users.map((user) => sleepOf(user, day)) });
}

function sleepOf({ account }: ConnectedUser, day: number) {
  const start = (startMs + day * dayMs) / 1000 - nightSeconds / 2;
  const part = nightSeconds / 4;
  const stage = (index: number) => [
    { startTimeInSeconds: start + index * part, endTimeInSeconds: start + (index + 1) * part },
  ];
  return {
    userId: account,
    summaryId: `${account}-${day}-sleep`,
    calendarDate: new Date(startMs + day * dayMs).toISOString().slice(0, 10),
    startTimeInSeconds: start,
    startTimeOffsetInSeconds: 0,
    durationInSeconds: nightSeconds,
    deepSleepDurationInSeconds: part,
    lightSleepDurationInSeconds: part,
    remSleepInSeconds: part,
    awakeDurationInSeconds: part,
    sleepLevelsMap: { light: stage(0), deep: stage(1), rem: stage(2), awake: stage(3) },
    validation: 'DEVICE',
  };
}

const secondsPerActivity = 7200;

/** A push of activities of two hours at 1 Hz, of at least the given size. */
export function detailsOf({ account }: ConnectedUser, bytes: number): string {
  const items: string[] = [];
  for (let size = 0; size < bytes; size += items.at(-1)?.length ?? bytes)
    items.push(JSON.stringify(activityOf(account, items.length)));
  return `{"activityDetails":[${items.join(',')}]}`;
}

function activityOf(account: string, index: number) {
  const random = randomOf(`${seed} ${account} activity ${index}`);
  const start = startMs / 1000 + index * 3 * 3600;
  const summary = {
    activityId: 10_000_000_000 + index,
    activityName: 'Ride',
    activityType: 'CYCLING',
    startTimeInSeconds: start,
    startTimeOffsetInSeconds: 0,
    durationInSeconds: secondsPerActivity,
    averageHeartRateInBeatsPerMinute: 140,
    deviceName: 'Bench 1',
  };
  const samples = Array.from({ length: secondsPerActivity }, (_, second) => ({
    startTimeInSeconds: start + second,
    heartRate: random.whole(110, 176),
    speedMetersPerSecond: random.whole(5000, 11_000) / 1000,
    bikeCadenceInRPM: random.whole(70, 100),
    powerInWatts: random.whole(120, 320),
    airTemperatureCelcius: random.whole(150, 200) / 10,
    timerDurationInSeconds: second,
    movingDurationInSeconds: second,
    clockDurationInSeconds: second,
  }));
  return {
    userId: account,
    summaryId: `${account}-${index}-detail`,
    activityId: summary.activityId,
    summary,
    samples,
  };
}
