import { localDate } from '../../../domain/time/time.ts';
import { activity } from '../../fixtures/devicemaker/activities.ts';
import { daily } from '../../fixtures/devicemaker/dailies.ts';
import { epoch } from '../../fixtures/devicemaker/epochs.ts';
import { moveiq } from '../../fixtures/devicemaker/occasional.ts';
import { offsetMap, offsets, shownTime } from '../../fixtures/devicemaker/offsets.ts';
import { sleep } from '../../fixtures/devicemaker/sleeps.ts';
import { pulseOx, stressDetails } from '../../fixtures/devicemaker/wellness.ts';
import type { Wearer } from './load.ts';

/** One fact that a delivery contains about a user, as a line that an export must contain once. */
interface Fact {
  readonly userId: string;
  readonly line: string;
}

/** A push with all that must be stored of it. */
export interface ExpectedDelivery {
  readonly body: string;
  readonly facts: readonly Fact[];
}

/** One item of a push with its facts. */
interface ExpectedItem {
  readonly key: string;
  readonly item: unknown;
  readonly facts: readonly Fact[];
}

/** A separate day for each delivery, so that deliveries have no fact in common. */
const dayStartOf = (n: number) => Date.UTC(2020, 0, 1) / 1000 + n * 86_400;

type Make = (n: number, wearer: Wearer) => readonly ExpectedItem[];

const kinds: readonly Make[] = [dayOf, slotsOf, nightOf, twoRunsOf, trackOf];

/** The push number n. Kinds alternate; every sixth push contains items of three users. */
export function expectedDelivery(n: number, wearers: readonly Wearer[]): ExpectedDelivery {
  const wearer = (step: number) => {
    const found = wearers[(n + step) % wearers.length];
    if (found === undefined) throw new Error('nobody to tell of');
    return found;
  };
  const kind = kinds[n % 6];
  const items =
    kind === undefined
      ? [
          ...dayOf(n, wearer(0)),
          ...oxygenOf(n, wearer(1)),
          ...strainOf(n, wearer(2)),
          ...walkOf(n, wearer(2)),
        ]
      : kind(n, wearer(0));
  const groups = [...Map.groupBy(items, ({ key }) => key)];
  return {
    body: JSON.stringify(Object.fromEntries(groups.map(([key, of]) => [key, of.map(({ item }) => item)]))),
    facts: items.flatMap(({ facts }) => facts),
  };
}

/** The line of a sample. */
export function sampleLine(type: unknown, timestamp: unknown, value: unknown): string {
  return `sample ${type} ${timestamp} ${value}`;
}

function samples(
  userId: string,
  type: string,
  start: number,
  at: readonly number[],
  valueAt: (offset: number) => number,
): Fact[] {
  return at.map((offset) => ({ userId, line: sampleLine(type, shownTime(start + offset), valueAt(offset)) }));
}

function headOf(n: number, kind: string, start: number, durationInSeconds: number) {
  return {
    summaryId: `${kind}-${n}`,
    calendarDate: localDate(start * 1000, 0),
    startTimeInSeconds: start,
    startTimeOffsetInSeconds: 0,
    durationInSeconds,
  };
}

function dayOf(n: number, { account, userId }: Wearer): ExpectedItem[] {
  const start = dayStartOf(n);
  const at = offsets(3600, 15);
  const heartAt = (offset: number) => 50 + ((offset / 15 + n) % 90);
  const item = daily(account, 24, {
    ...headOf(n, 'day', start, 86_400),
    steps: 1000 + n,
    restingHeartRateInBeatsPerMinute: 40 + (n % 30),
    timeOffsetHeartRateSamples: offsetMap(at, heartAt),
  });
  const facts = [
    { userId, line: `day ${localDate(start * 1000, 0)} ${1000 + n}` },
    ...samples(userId, 'resting_heart_rate', start, [0], () => 40 + (n % 30)),
    ...samples(userId, 'heart_rate', start, at, heartAt),
  ];
  return [{ key: 'dailies', item, facts }];
}

// Two parts to a slot: only when both are there, once each, is the sum right.
function slotsOf(n: number, { account, userId }: Wearer): ExpectedItem[] {
  return [0, 1, 2, 3].flatMap((slot) => {
    const start = dayStartOf(n) + slot * 900;
    const part = (activityType: string, changes: Record<string, unknown>) => ({
      key: 'epochs',
      item: epoch(account, activityType, {
        ...headOf(n, `slot-${activityType}`, start, 900),
        activeTimeInSeconds: 450,
        ...changes,
      }),
      facts: [],
    });
    const one = (type: string, value: number) => samples(userId, type, start, [0], () => value);
    const walked = part('WALKING', { steps: 100 + n, distanceInMeters: 80, activeKilocalories: 10, met: 3 });
    const ran = part('RUNNING', { steps: 200 + slot, distanceInMeters: 300, activeKilocalories: 30, met: 9 });
    const facts = [
      ...one('steps', 300 + n + slot),
      ...one('energy', 40),
      ...one('distance_walking_running', 380),
      ...one('average_met', 6),
    ];
    return [walked, { ...ran, facts }];
  });
}

function nightOf(n: number, { account, userId }: Wearer): ExpectedItem[] {
  const start = dayStartOf(n) + 3600;
  const at = offsets(7200, 60);
  const oxygenAt = (offset: number) => 90 + ((offset / 60 + n) % 10);
  const breathsAt = (offset: number) => 11 + ((offset / 60 + n) % 8) / 2;
  const item = sleep(account, {
    ...headOf(n, 'night', start, 25_200),
    sleepLevelsMap: {},
    timeOffsetSleepSpo2: offsetMap(at, oxygenAt),
    timeOffsetSleepRespiration: offsetMap(at, breathsAt),
  });
  const facts = [
    { userId, line: `sleep ${shownTime(start)} ${shownTime(start + 27_000)} 25200` },
    ...samples(userId, 'oxygen_saturation', start, at, oxygenAt),
    ...samples(userId, 'respiratory_rate', start, at, breathsAt),
  ];
  return [{ key: 'sleeps', item, facts }];
}

function runOf(n: number, at: number, meters: number) {
  const start = dayStartOf(n) + at;
  const fields = { ...headOf(n, `run-${at}`, start, 1800), distanceInMeters: meters };
  const line = `workout ${shownTime(start)} ${shownTime(start + 1800)} running ${meters}`;
  return { start, fields: { ...fields, activityId: n * 100_000 + at }, line };
}

function twoRunsOf(n: number, { account, userId }: Wearer): ExpectedItem[] {
  return [7200, 14_400].map((at) => {
    const { fields, line } = runOf(n, at, 5000 + n);
    return { key: 'activities', item: activity(account, fields), facts: [{ userId, line }] };
  });
}

function trackOf(n: number, { account, userId }: Wearer): ExpectedItem[] {
  const { start, fields, line } = runOf(n, 36_000, 6000 + n);
  const { summaryId, activityId, ...rest } = fields;
  const { userId: _, summaryId: _1, activityId: _2, ...summary } = activity(account, rest);
  const at = offsets(900, 3);
  const heartAt = (second: number) => 100 + ((second + n) % 71);
  const speedAt = (second: number) => 2 + ((second + n) % 17) / 8;
  const powerAt = (second: number) => 150 + ((second * 7 + n) % 200);
  const track = at.map((second) => ({
    startTimeInSeconds: start + second,
    heartRate: heartAt(second),
    speedMetersPerSecond: speedAt(second),
    powerInWatts: powerAt(second),
  }));
  const facts = [
    { userId, line },
    ...samples(userId, 'heart_rate', start, at, heartAt),
    ...samples(userId, 'speed', start, at, speedAt),
    ...samples(userId, 'power', start, at, powerAt),
  ];
  const item = { userId: account, summaryId: `${summaryId}-detail`, activityId, summary, samples: track };
  return [{ key: 'activityDetails', item, facts }];
}

function oxygenOf(n: number, { account, userId }: Wearer): ExpectedItem[] {
  const start = dayStartOf(n) + 50_000;
  const at = offsets(600, 60);
  const valueAt = (offset: number) => 85 + ((offset / 60 + n) % 15);
  const fields = { ...headOf(n, 'oxygen', start, 600), timeOffsetSpo2Values: offsetMap(at, valueAt) };
  const facts = samples(userId, 'oxygen_saturation', start, at, valueAt);
  return [{ key: 'pulseox', item: pulseOx(account, fields), facts }];
}

function strainOf(n: number, { account, userId }: Wearer): ExpectedItem[] {
  const start = dayStartOf(n) + 60_000;
  const at = offsets(1800, 180);
  const stressAt = (offset: number) => 1 + ((offset / 180 + n) % 99);
  const batteryAt = (offset: number) => (offset / 180 + n) % 101;
  const fields = {
    ...headOf(n, 'strain', start, 1800),
    timeOffsetStressLevelValues: offsetMap(at, stressAt),
    timeOffsetBodyBatteryValues: offsetMap(at, batteryAt),
  };
  const facts = [
    ...samples(userId, 'devicemaker_stress_level', start, at, stressAt),
    ...samples(userId, 'devicemaker_body_battery', start, at, batteryAt),
  ];
  return [{ key: 'stressDetails', item: stressDetails(account, 24, fields), facts }];
}

function walkOf(n: number, { account, userId }: Wearer): ExpectedItem[] {
  const start = dayStartOf(n) + 70_000;
  const fields = { ...headOf(n, 'walk', start, 600), offsetInSeconds: 0 };
  const line = `moveiq ${shownTime(start)} ${shownTime(start + 600)} walk-${n}`;
  return [{ key: 'moveiq', item: moveiq(account, fields), facts: [{ userId, line }] }];
}
