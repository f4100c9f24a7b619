import { createWearer, push, type TestApi } from '../../support/api.ts';
import { activity, block, item, workout } from '../timeseries/items.ts';
import type { DataDaily, DataEpoch, DataSleep, DataWorkout, UserData } from './user-data.ts';

/** Sends user data as its providers would; returns the user. */
export async function deliver(api: TestApi, life: UserData): Promise<string> {
  const { userId, account } = await createWearer(api);
  for (const body of [
    { dailies: life.dailies.map((one) => dailyOf(account, one)) },
    { epochs: life.epochs.map((one) => epochOf(account, one)) },
    { activities: ridesOf(life).map((one, index) => activityOf(account, one, index)) },
    { sleeps: life.sleeps.map((one) => sleepOf(account, one)) },
  ])
    await pushWhole(api, body);
  await storeSamples(api, userId, life);
  for (const one of life.workouts) if (one.provider === 'activitynet') await storeRide(api, userId, one);
  return userId;
}

/**
 * Sends user data in parts in any order, given by `place`; only the deliveries of slots keep their own order.
 */
export async function deliverInAnyOrder(api: TestApi, life: UserData, place: () => number): Promise<string> {
  const { userId, account } = await createWearer(api);
  const epochs = life.epochs.map((one) => epochOf(account, one));
  const cuts = [0, ...[place(), place()].map((share) => Math.floor(share * epochs.length)), epochs.length];
  const inOrder = cuts.sort((a, b) => a - b);
  const parts = inOrder.slice(1).map((end, index) => ({ epochs: epochs.slice(inOrder[index], end) }));
  const bodies: Record<string, object[]>[] = [
    ...life.dailies.map((one) => ({ dailies: [dailyOf(account, one)] })),
    ...ridesOf(life).map((one, index) => ({ activities: [activityOf(account, one, index)] })),
  ];
  const shuffled = bodies.map((body) => ({ body, at: place() }));
  const slots = parts.map((body) => ({ body, at: place() }));
  const times = slots.map(({ at }) => at).sort((a, b) => a - b);
  const placed = [...shuffled, ...slots.map(({ body }, index) => ({ body, at: times[index] ?? 0 }))];
  const isLate = place() < 0.5;
  if (!isLate) await storeSamples(api, userId, life);
  for (const { body } of placed.sort((a, b) => a.at - b.at)) await pushWhole(api, body);
  if (isLate) await storeSamples(api, userId, life);
  return userId;
}

async function pushWhole(api: TestApi, sent: Record<string, object[]>): Promise<void> {
  const { status, text, body } = await push(api, sent);
  const errors: unknown = Reflect.get(Object(body), 'errors');
  if (status !== 200 || JSON.stringify(errors) !== '[]') throw new Error(text.slice(0, 500));
}

const ridesOf = ({ workouts }: UserData) => workouts.filter(({ provider }) => provider === 'devicemaker');

function epochOf(account: string, one: DataEpoch) {
  return {
    ...{ userId: account, summaryId: `e-${one.startMs}-${one.type}`, activityType: one.type },
    ...{ startTimeInSeconds: one.startMs / 1000, startTimeOffsetInSeconds: one.offset * 60 },
    ...{ durationInSeconds: one.seconds, activeTimeInSeconds: one.active, deviceName: 'Watch 7' },
    ...{ steps: one.steps, activeKilocalories: one.kcal, distanceInMeters: one.meters },
    intensity: one.type === 'SEDENTARY' ? 'SEDENTARY' : 'ACTIVE',
  };
}

function dailyOf(account: string, { device, date, startMs, seconds, offset, totals, beats }: DataDaily) {
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

function activityOf(account: string, one: DataWorkout, index: number) {
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

function sleepOf(account: string, one: DataSleep) {
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
  { deep, light, rem, awake, oxygen, breaths }: DataSleep,
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

async function storeSamples({ call }: TestApi, userId: string, { samples }: UserData): Promise<void> {
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

async function storeRide({ call }: TestApi, userId: string, one: DataWorkout): Promise<void> {
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
