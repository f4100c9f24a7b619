import t from 'tap';
import { StoreItem } from '../../../domain/records/records.ts';
import {
  dailies,
  hrv as hrvType,
  stressDetails as stressType,
} from '../../../providers/devicemaker/fields/days.ts';
import type { Normaliser } from '../../../providers/devicemaker/normalise/item.ts';
import { daily, dayStart } from '../../fixtures/devicemaker/dailies.ts';
import { sleepStart } from '../../fixtures/devicemaker/sleeps.ts';
import { typesNowMs } from '../../fixtures/devicemaker/types.ts';
import { hrv, stressDetails } from '../../fixtures/devicemaker/wellness.ts';

function read(normalise: Normaliser, item: object) {
  const result = normalise(item, typesNowMs);
  if (!result.ok) throw new Error('refused');
  const problems = result.problems.filter(({ placeholders }) => placeholders === undefined);
  return { values: StoreItem.parse(result.item).day_values, problems };
}

const place = {
  ...{ date: '2025-06-03', start_ms: dayStart * 1000, duration_seconds: 86_400, zone_offset_minutes: 120 },
  device: 'unknown',
};

t.test(
  'a daily record has goals, stress, pushes, energy and the resting heart rate of its day',
  async (t) => {
    t.strictSame(read(dailies.normalise, daily('a')), {
      values: {
        ...place,
        values: {
          ...{ max_stress_level: 84, stress_seconds: 9000, stress_qualifier: 'calm' },
          ...{ steps_goal: 8000, floors_climbed_goal: 10, intensity_goal_seconds: 1500 },
          ...{ consumed_calories_kcal: 1900, pushes: 0, push_distance_meters: 0, resting_heart_rate_bpm: 52 },
        },
        extra: null,
      },
      problems: [],
    });
    const more = {
      bodyBatteryChargedValue: 61,
      bodyBatteryDrainedValue: 48.4,
      averageStressLevel: 27,
      abc: 'x',
    };
    const { values } = read(dailies.normalise, daily('a', 24, more));
    t.match(values, {
      values: { body_battery_charged: 61, body_battery_drained: 48, average_stress_level: 27 },
      extra: null,
    });
  },
);

t.test('a placeholder is no value, and a value out of range is reported and left out', async (t) => {
  const wrong = { averageStressLevel: -2, maxStressLevel: 101, stepsGoal: -1, floorsClimbedGoal: 'ten' };
  const { values, problems } = read(dailies.normalise, daily('a', 24, { ...wrong, consumedCalories: -5 }));
  t.same(
    problems.map(({ field, reason }) => `${field} ${reason}`),
    [
      'consumedCalories must be 0 to 100000',
      'maxStressLevel must be 1 to 100',
      'stepsGoal must be 0 to 1000000',
      'floorsClimbedGoal must be a number',
    ],
  );
  for (const name of ['average_stress_level', 'max_stress_level', 'steps_goal', 'floors_climbed_goal'])
    t.notOk(Object.hasOwn(values?.values ?? {}, name), name);
});

t.test('stress details have the events of the body battery, and keep what has no field', async (t) => {
  const { values } = read(stressType.normalise, stressDetails('a'));
  const event = { type: 'Sleep', start_time: new Date(sleepStart * 1000).toISOString().replace('.000', '') };
  t.strictSame(values, {
    ...place,
    values: { body_battery_events: [{ ...event, duration_seconds: 27_000, impact: 61 }] },
    extra: {
      bodyBatteryDynamicFeedbackEvent: { bodyBatteryLevel: 'HIGH', eventStartTimeInSeconds: dayStart },
    },
  });
  const named = [{ eventType: 'NAP', eventStartTimeInSeconds: sleepStart, bodyBatteryImpact: 4 }];
  const sent = { bodyBatteryActivityEvents: named.map((one) => ({ ...one, durationInSeconds: 1200 })) };
  t.match(read(stressType.normalise, stressDetails('a', 24, { ...sent, averageStressLevel: 31 })).values, {
    values: { body_battery_events: [{ type: 'NAP', duration_seconds: 1200 }] },
    extra: { averageStressLevel: 31 },
  });
  const events = [{ eventType: 'Nap' }, null, { eventType: 'Nap', eventStartTimeInSeconds: 1, duration: 2 }];
  const bare = { bodyBatteryActivityEvents: events, bodyBatteryDynamicFeedbackEvent: null };
  t.equal(read(stressType.normalise, stressDetails('a', 24, bare)).values, null);
});

t.test('a night has the averages of its variability', async (t) => {
  t.match(read(hrvType.normalise, hrv('a')).values, {
    ...{ date: '2025-06-03', start_ms: sleepStart * 1000 },
    values: { hrv_night_average_ms: 52, hrv_night_high_5min_ms: 76 },
  });
  t.equal(read(hrvType.normalise, hrv('a', { lastNightAvg: 0, lastNight5MinHigh: null })).values, null);
});
