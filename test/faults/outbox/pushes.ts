import { dayMs, localDate } from '../../../domain/time/time.ts';
import { activity } from '../../fixtures/devicemaker/activities.ts';
import { daily } from '../../fixtures/devicemaker/dailies.ts';
import { epoch } from '../../fixtures/devicemaker/epochs.ts';
import { bloodPressure, bodyComp } from '../../fixtures/devicemaker/occasional.ts';
import { offsetMap, offsets } from '../../fixtures/devicemaker/offsets.ts';
import { sleep } from '../../fixtures/devicemaker/sleeps.ts';
import { pulseOx } from '../../fixtures/devicemaker/wellness.ts';
import type { Random } from '../support/random.ts';

/** Items of a push by their key. */
type Items = Readonly<Record<string, readonly unknown[]>>;

/** Records of one account, whose values differ in each push: few objects, so that most of them change again and again. */
type Make = (account: string, random: Random) => Items;

const begin = Date.now();
const offsetSeconds = 7200;
/** The start of a local day, some days ago. */
const dayStart = (daysAgo: number) => Math.floor((begin - daysAgo * dayMs) / dayMs) * 86_400 - offsetSeconds;
/** Half of the days are recent, the other half is historical. */
const daysAgo = (random: Random) => random.pick([1, 2, 8, 9]);

function head(start: number, key: string, seconds: number) {
  return {
    ...{ summaryId: key, startTimeInSeconds: start, startTimeOffsetInSeconds: offsetSeconds },
    ...{ calendarDate: localDate(start * 1000, offsetSeconds / 60), durationInSeconds: seconds },
  };
}

const workoutOf: Make = (account, random) => {
  const [day, hour] = [daysAgo(random), random.pick([7, 12, 18])];
  const start = dayStart(day) + hour * 3600 + random.below(4) * 300;
  const fields = {
    ...head(start, `workout-${day}-${hour}`, 1200 + random.below(4) * 300),
    ...{ activityId: day * 100 + hour, activityType: random.pick(['RUNNING', 'CYCLING']) },
    ...{ activeKilocalories: 100 + random.below(300), distanceInMeters: 1000 + random.below(9000) },
  };
  return { activities: [activity(account, fields)] };
};

const nightOf: Make = (account, random) => {
  const start = dayStart(daysAgo(random)) + 22 * 3600;
  const fields = {
    ...head(start, `night-${start}`, 18_000 + random.below(20) * 600),
    ...{ sleepLevelsMap: { deep: [deepFrom(start, random)] } },
    deepSleepDurationInSeconds: random.below(90) * 60,
    timeOffsetSleepSpo2: offsetMap(offsets(1200, 300), () => 90 + random.below(9)),
    timeOffsetSleepRespiration: {},
  };
  return { sleeps: [sleep(account, fields)] };
};

function deepFrom(start: number, random: Random) {
  const startTimeInSeconds = start + random.below(10) * 600;
  return { startTimeInSeconds, endTimeInSeconds: startTimeInSeconds + 600 };
}

const dayOf: Make = (account, random) => {
  const hours = 1 + random.below(24);
  const fields = {
    ...head(dayStart(daysAgo(random)), `day-${hours}`, hours * 3600),
    timeOffsetHeartRateSamples: offsetMap(offsets(hours * 3600, 3600), () => 50 + random.below(99)),
    steps: random.below(20_000),
  };
  return { dailies: [daily(account, hours, fields)] };
};

const slotsOf: Make = (account, random) => {
  const start = dayStart(daysAgo(random)) + random.below(40) * 900;
  const fields = { ...head(start, `slot-${start}`, 900), steps: random.below(900) };
  return { epochs: [epoch(account, 'WALKING', fields)] };
};

const oxygenOf: Make = (account, random) => {
  const start = dayStart(daysAgo(random)) + random.below(20) * 3600;
  const values = offsetMap(offsets(600, 60), () => 88 + random.below(12));
  return {
    pulseOx: [pulseOx(account, { ...head(start, `oxygen-${start}`, 600), timeOffsetSpo2Values: values })],
  };
};

const bodyOf: Make = (account, random) => {
  const at = Math.floor(begin / 1000) - 600 - random.below(20) * 60;
  const time = { measurementTimeInSeconds: at, measurementTimeOffsetInSeconds: offsetSeconds };
  const weight = { ...time, summaryId: `body-${at}`, weightInGrams: 60_000 + random.below(20_000) };
  const pressure = { ...time, summaryId: `pressure-${at}`, systolic: 110 + random.below(30) };
  return { bodyComps: [bodyComp(account, weight)], bloodPressures: [bloodPressure(account, pressure)] };
};

const makers: readonly Make[] = [workoutOf, workoutOf, nightOf, nightOf, dayOf, slotsOf, oxygenOf, bodyOf];

/** A push with items of one account. */
export function pushOf(account: string, random: Random): Items {
  return random.pick(makers)(account, random);
}
