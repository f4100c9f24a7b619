import { dataTypes } from '../../../providers/devicemaker/data-types.ts';
import { runStart } from '../../fixtures/devicemaker/activities.ts';
import { smallItem } from '../../fixtures/devicemaker/changed-fields.ts';
import { dayStart } from '../../fixtures/devicemaker/dailies.ts';
import { sleepStart } from '../../fixtures/devicemaker/sleeps.ts';
import { typesNowMs } from '../../fixtures/devicemaker/types.ts';
import { itemRows, readableOf, trackRows } from './readable.ts';
import type { FieldCase } from './removal.ts';

const token = { userAccessToken: 'token' };
const [deviceName, unknown] = ['Venu 3', undefined];

const swim = {
  ...{ numberOfActiveLengths: 40, totalNumberOfStrokes: 800, poolLengthInMeters: 25 },
  ...{ averageSwimCadenceInStrokesPerMinute: 24, maxSwimCadenceInStrokesPerMinute: 31 },
};
const push = {
  ...{ pushes: 1200, averagePushCadenceInPushesPerMinute: 52, maxPushCadenceInPushesPerMinute: 80 },
};
const ride = {
  ...{ averageBikeCadenceInRoundsPerMinute: 82, maxBikeCadenceInRoundsPerMinute: 104 },
  ...{ averagePowerInWatts: 190, maxPowerInWatts: 610, normalizedPowerInWatts: 204 },
  ...{ maxElevationInMeters: 120, minElevationInMeters: 30, movingDurationInSeconds: 1500 },
  ...{ isParent: true, parentSummaryId: '7', manual: true, isWebUpload: true },
  ...{ averageRunCadenceInStepsPerMinute: unknown, maxRunCadenceInStepsPerMinute: unknown },
};
const plainRide = { ...swim, ...push, ...ride, activityDescription: unknown, description: 'hilly' };
const rideSamples = [0, 1, 2].map((second) => ({
  startTimeInSeconds: runStart + second,
  ...{
    bikeCadenceInRPM: 80 + second,
    powerInWatts: 200 + second,
    swimCadenceInStrokesPerMinute: 20 + second,
    wheelChairCadenceInPushesPerMinute: 50 + second,
  },
}));
const nap = {
  napStartTimeInSeconds: dayStart + 50_000,
  napDurationInSeconds: 1800,
  napOffsetInSeconds: 3600,
};

const { userId: _, summaryId: __, activityId: ___, ...activityOnly } = smallItem('activities', 'a');

/** What the small item of a type does not have. */
const more: Readonly<Record<string, readonly object[]>> = {
  dailies: [
    {
      ...{ averageStressLevel: 31, restStressDurationInSeconds: 1, activityStressDurationInSeconds: 2 },
      ...{ lowStressDurationInSeconds: 3, mediumStressDurationInSeconds: 4, highStressDurationInSeconds: 5 },
      ...{ bodyBatteryChargedValue: 60, bodyBatteryDrainedValue: 50, pushesGoal: 100, pushes: 7 },
      ...{ netKilocaloriesGoal: 2000, pushDistanceInMeters: 12 },
    },
    { timeOffsetHeartRateSamples: unknown },
    { averageStressLevel: unknown, averageStresslevel: 33, source: 'a sender' },
  ],
  epochs: [{ pushes: 3, maxHeartRateInBeatsPerMinute: 120 }],
  sleeps: [
    {
      naps: [{ ...nap, napValidation: 'MANUAL' }],
      totalNapDurationInSeconds: 1800,
      unmeasurableSleepInSeconds: 60,
    },
    { unmeasurableSleepInSeconds: unknown, unmeasurableSleepDurationInSeconds: 60 },
    { sleepLevelsMap: unknown, durationInSeconds: 90_000 },
  ],
  activities: [plainRide, { averagePaceInMinutesPerKilometer: unknown, activityId: unknown }],
  activityDetails: [
    { samples: rideSamples },
    { summary: { ...plainRide, activityType: 'CYCLING', durationInSeconds: 1805, deviceName } },
    { summary: { ...activityOnly, activityId: 5 }, activityId: unknown },
    { summary: activityOnly, activityId: unknown },
    { summary: unknown, ...activityOnly },
    { summary: unknown, ...activityOnly, ...plainRide },
  ],
  stressDetails: [
    {
      timeOffsetStressLevelValues: unknown,
      timeOffsetBodyBatteryValues: unknown,
      ...{ stressLevelValues: { 0: 20, 180: 30 }, bodyBatteryValues: { 0: 50 } },
      ...{ averageStressLevel: 25, maxStressLevel: 80 },
      bodyBatteryActivityEvents: [
        {
          ...{
            eventType: 'ACTIVITY',
            eventStartTimeInSeconds: dayStart,
            eventStartTimeOffsetInSeconds: 7200,
          },
          ...{
            duration: 600,
            bodyBatteryImpact: -5,
            activityName: 'Run',
            activityType: 'RUNNING',
            activityId: 12,
          },
        },
        {
          ...{ eventType: 'NAP', eventStartTimeInSeconds: dayStart + 900, bodyBatteryImpact: 4 },
          ...{ durationInSeconds: 1200, eventStartTimeOffsetINSeconds: 7200 },
        },
      ],
    },
  ],
  respiration: [
    { timeOffsetEpochToBreaths: unknown, timeOffsetRespirationRateValues: { 0: 14, 60: 15 } },
    { timeOffsetEpochToBreaths: unknown, avgWakingRespirationValue: 14 },
  ],
  pulseOx: [{ timeOffsetSpo2Values: unknown, avgSpo2: 96, onDemand: true }],
  bloodPressures: [
    { measurementTimeInSeconds: unknown, measurementTimestampGMT: sleepStart },
    { measurementTimeInSeconds: unknown, startTimeInSeconds: sleepStart },
  ],
  healthSnapshot: [
    {
      ...{ offsetStartTimeInSeconds: unknown, startTimeOffsetInSeconds: 7200 },
      summaries: [
        { summaryType: 'rmssd_hrv', avgValue: 41.5 },
        { summaryType: 'SDRR_HRV', avgValue: 58.25 },
      ],
    },
  ],
  moveiq: [{ offsetInSeconds: unknown, startTimeOffsetInSeconds: 7200 }],
  skinTemp: [{ skinTemperature: 33.5 }],
};

/** The 16 data types. */
export const devicemakerCases: Readonly<Record<string, FieldCase>> = Object.fromEntries(
  dataTypes.map(({ name, fields: table, normalise }) => {
    const small = { ...smallItem(name, 'account'), ...token, deviceName };
    const items = [small, ...(more[name] ?? []).map((fields) => ({ ...small, ...fields }))];
    const read = (item: unknown) => {
      const made = normalise(item, typesNowMs);
      return readableOf(made.ok ? [...itemRows(made.item), ...trackRows(made.track)] : []);
    };
    return [name, { table, items, read }];
  }),
);
