import t from 'tap';
import { activities } from '../../../providers/devicemaker/fields/activities.ts';
import type { Normalised } from '../../../providers/devicemaker/normalise/item.ts';
import { activity, runStart } from '../../fixtures/devicemaker/activities.ts';

const nowMs = (runStart + 3600) * 1000;
const userId = 'account-1';

function stored(result: Normalised) {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.problems)}`);
  return result.item;
}

function workoutOf(changes: Record<string, unknown>) {
  return stored(activities.normalise(activity(userId, changes), nowMs)).workout;
}

t.test('makes a workout of every field that the table names', async (t) => {
  const { hash, ...item } = stored(activities.normalise(activity(userId), nowMs));
  t.match(hash, /^[0-9a-f]{64}$/);
  t.same(item, {
    data_type: 'activities',
    key: '19332211001',
    supersede: 'latest',
    duration_seconds: 1805,
    more: false,
    part: 0,
    sleeps: [],
    day: null,
    day_values: null,
    scores: [],
    epoch: null,
    other: null,
    samples: [],
    samples_kept: false,
    is_local: false,
    clock_of: null,
    extras: {
      details: {
        ...{ avg_cadence_rpm: 84.2, max_cadence_rpm: 90.5, avg_speed_meters_per_second: 2.78 },
        ...{ max_speed_meters_per_second: 3.4, max_pace_sec_per_km: 294, elevation_loss_meters: 30 },
        description: 'easy',
      },
      laps: null,
      splits: null,
      extra: null,
    },
    track: [],
    route_version: null,
    workout: {
      type: 'running',
      raw_type: 'RUNNING',
      name: 'Evening run',
      start_ms: runStart * 1000,
      end_ms: (runStart + 1805) * 1000,
      zone_offset_minutes: 120,
      duration_seconds: 1805,
      moving_seconds: null,
      device: 'Forerunner 255',
      calories_kcal: 412,
      distance_meters: 5012.3,
      avg_heart_rate_bpm: 151,
      max_heart_rate_bpm: 172,
      avg_pace_sec_per_km: 360,
      elevation_gain_meters: 31,
      steps: 5068,
      manual: false,
      web_upload: false,
      private: null,
      is_parent: false,
      parent_id: null,
    },
  });
});

t.test('takes the summary id where there is no activity id, and refuses an item with neither', async (t) => {
  const { activityId: _, ...older } = activity(userId, { summaryId: '19332211001-a' });
  t.equal(stored(activities.normalise(older, nowMs)).key, '19332211001-a');
  t.equal(stored(activities.normalise({ ...older, activityId: '42' }, nowMs)).key, '42', 'an id in a text');
  t.same(activities.normalise({ ...older, summaryId: null }, nowMs), {
    ok: false,
    problems: [{ field: 'activityId', reason: 'is required' }],
  });
});

t.test('has the pace from its own field, else from the speed, else none', async (t) => {
  const noPace = { averagePaceInMinutesPerKilometer: null };
  t.equal(workoutOf({ ...noPace, averageSpeedInMetersPerSecond: 2.5 })?.avg_pace_sec_per_km, 400);
  t.equal(workoutOf({ ...noPace, averageSpeedInMetersPerSecond: 0 })?.avg_pace_sec_per_km, null);
  t.equal(workoutOf({ ...noPace, averageSpeedInMetersPerSecond: null })?.avg_pace_sec_per_km, null);
  t.equal(workoutOf({ averagePaceInMinutesPerKilometer: 0 })?.avg_pace_sec_per_km, 1000 / 2.78);
});

t.test('names a workout without a name by its type', async (t) => {
  t.equal(workoutOf({ activityName: null })?.name, 'Running');
  t.equal(
    workoutOf({ activityName: '  ', activityType: 'OPEN_WATER_SWIMMING' })?.name,
    'Open water swimming',
  );
  t.equal(workoutOf({ activityName: null, activityType: 'TENNIS_V2' })?.name, 'Tennis');
  t.equal(workoutOf({ activityName: null, activityType: null })?.name, 'Activity');
});

t.test('stores names that a database would refuse, without what it refuses', async (t) => {
  t.equal(workoutOf({ activityName: 'a\u0000b\ud800c' })?.name, 'ab\ufffdc');
  t.equal(workoutOf({ activityName: 'x'.repeat(900) })?.name.length, 500);
  t.equal(workoutOf({ deviceName: `${'y'.repeat(99)}😀` })?.device, `${'y'.repeat(99)}\ufffd`);
  t.equal(workoutOf({ deviceName: ' ' })?.device, 'unknown');
});

t.test('knows the parts of a multisport set from the whole', async (t) => {
  t.match(workoutOf({ isParent: true }), { is_parent: true, parent_id: null });
  t.match(workoutOf({ parentSummaryId: 19332211000 }), { is_parent: false, parent_id: '19332211000' });
});

t.test('refuses single fields and keeps the rest', async (t) => {
  const result = activities.normalise(
    activity(userId, { averageHeartRateInBeatsPerMinute: 301, distanceInMeters: '5 km', manual: 'no' }),
    nowMs,
  );
  t.match(stored(result).workout, {
    avg_heart_rate_bpm: null,
    distance_meters: null,
    manual: null,
    calories_kcal: 412,
  });
  t.same(result.problems, [
    { field: 'distanceInMeters', reason: 'must be a number' },
    { field: 'averageHeartRateInBeatsPerMinute', reason: 'must be 1 to 300' },
    { field: 'manual', reason: 'must be true or false' },
  ]);
});

for (const field of ['startTimeInSeconds', 'durationInSeconds'])
  t.test(`refuses an item whose ${field} is missing, a text or negative`, async (t) => {
    const { [field]: _, ...without }: Record<string, unknown> = activity(userId);
    t.same(activities.normalise(without, nowMs), { ok: false, problems: [{ field, reason: 'is required' }] });
    for (const value of ['100', -100, null])
      t.match(activities.normalise(activity(userId, { [field]: value }), nowMs), {
        ok: false,
        problems: [{ field }],
      });
  });
