import { createWearer, push, type TestApi } from '../../support/api.ts';
import { activity, block, item, workout } from '../timeseries/items.ts';
import type { Life, LifeDaily, LifeSleep, LifeWorkout } from './lives.ts';

/** Sends a life as its providers would, shuffled by nothing but its own order; tells the user who has it now. */
export async function deliver(api: TestApi, life: Life): Promise<string> {
  const { userId, account } = await createWearer(api);
  const theirs = life.workouts.filter(({ provider }) => provider === 'devicemaker');
  for (const body of [
    { dailies: life.dailies.map((one) => dailyOf(account, one)) },
    { activities: theirs.map((one, index) => activityOf(account, one, index)) },
    { sleeps: life.sleeps.map((one) => sleepOf(account, one)) },
  ]) {
    const { status, text, body: answer } = await push(api, body);
    const errors: unknown = Reflect.get(Object(answer), 'errors');
    if (status !== 200 || JSON.stringify(errors) !== '[]') throw new Error(text.slice(0, 500));
  }
  await storeSamples(api, userId, life);
  for (const one of life.workouts) if (one.provider === 'activitynet') await storeRide(api, userId, one);
  return userId;
}

function dailyOf(account: string, { device, date, startMs, seconds, offset, totals, beats }: LifeDaily) {
  return {
    userId: account,
    summaryId: `d-${startMs}-${seconds}`,
    calendarDate: date,
    startTimeInSeconds: startMs / 1000,
    startTimeOffsetInSeconds: offset * 60,
    durationInSeconds: seconds,
    deviceName: device,
    ...totals,
    timeOffsetHeartRateSamples: Object.fromEntries(beats.map(([after, bpm]) => [String(after), bpm])),
  };
}

function activityOf(account: string, one: LifeWorkout, index: number) {
  return {
    userId: account,
    summaryId: `a-${index}`,
    activityId: 9_000_000_000 + index,
    activityType: one.type.toUpperCase(),
    startTimeInSeconds: one.startMs / 1000,
    startTimeOffsetInSeconds: one.offset * 60,
    durationInSeconds: one.seconds,
    deviceName: one.device,
    ...(one.meters === undefined ? {} : { distanceInMeters: one.meters }),
    ...(one.kcal === undefined ? {} : { activeKilocalories: one.kcal }),
    ...(one.climbed === undefined ? {} : { totalElevationGainInMeters: one.climbed }),
    ...(one.steps === undefined ? {} : { steps: one.steps }),
  };
}

function sleepOf(account: string, one: LifeSleep) {
  const start = one.startMs / 1000;
  const awake = one.awake.map(([after, length]) => ({
    startTimeInSeconds: start + after,
    endTimeInSeconds: start + after + length,
  }));
  const asleep = one.deep + one.light + one.rem;
  return {
    userId: account,
    summaryId: `s-${one.startMs}-${asleep}`,
    calendarDate: one.date,
    startTimeInSeconds: start,
    startTimeOffsetInSeconds: one.offset * 60,
    deviceName: one.device,
    naps: one.naps.map(({ startMs, seconds }) => ({
      napStartTimeInSeconds: startMs / 1000,
      napDurationInSeconds: seconds,
      napOffsetInSeconds: one.offset * 60,
    })),
    ...(asleep === 0 ? {} : stagesOf(one, asleep, awake)),
  };
}

function stagesOf(
  { deep, light, rem, awake, oxygen, breaths }: LifeSleep,
  asleep: number,
  intervals: unknown[],
) {
  return {
    durationInSeconds: asleep,
    deepSleepDurationInSeconds: deep,
    lightSleepDurationInSeconds: light,
    remSleepInSeconds: rem,
    awakeDurationInSeconds: awake.reduce((total, [, length]) => total + length, 0),
    unmeasurableSleepInSeconds: 0,
    sleepLevelsMap: { awake: intervals },
    timeOffsetSleepSpo2: Object.fromEntries(oxygen.map(([after, value]) => [String(after), value])),
    timeOffsetSleepRespiration: Object.fromEntries(breaths.map(([after, value]) => [String(after), value])),
  };
}

async function storeSamples({ call }: TestApi, userId: string, { samples }: Life): Promise<void> {
  const groups = Map.groupBy(samples, ({ provider, device, type, offset }) =>
    JSON.stringify([provider, device, type, offset]),
  );
  for (const [key, own] of groups) {
    const [provider, device, type, zone_offset_minutes] = JSON.parse(key);
    const values = own.map(({ ms, value }) => [ms, value] as const);
    const samples = [block(type, values, { device, zone_offset_minutes })];
    await call('timeseries.store', { user_id: userId, provider, items: [item({ samples })] });
  }
}

async function storeRide({ call }: TestApi, userId: string, one: LifeWorkout): Promise<void> {
  const record = workout(one.startMs, one.seconds / 60, {
    type: one.type,
    device: one.device,
    zone_offset_minutes: one.offset,
    distance_meters: one.meters ?? null,
    calories_kcal: one.kcal ?? null,
    elevation_gain_meters: one.climbed ?? null,
    steps: one.steps ?? null,
  });
  await call('timeseries.store', { user_id: userId, provider: one.provider, items: [activity(record)] });
}
