import t from 'tap';
import { StoreItem } from '../../../domain/records/records.ts';
import { morning, nowMs, workout } from '../../fixtures/withings/records.ts';
import { normaliseWorkouts } from './normalise.ts';

const workoutOf = (record: unknown) => {
  const [item] = normaliseWorkouts([record], nowMs).items;
  return item === undefined ? null : StoreItem.parse(item).workout;
};

t.test('a workout has the figures of its data', async (t) => {
  t.same(workoutOf(workout()), {
    ...{ type: 'running', raw_type: '2', name: 'Run', plain_name: true, start_ms: morning * 1000 },
    ...{ end_ms: (morning + 2_400) * 1000, zone_offset_minutes: 60, duration_seconds: 2_400 },
    ...{ moving_seconds: 2_160, device: 'ScanWatch', calories_kcal: 402, distance_meters: 6_400 },
    ...{ avg_heart_rate_bpm: 141, max_heart_rate_bpm: 171, avg_pace_sec_per_km: 337.5 },
    ...{ elevation_gain_meters: null, steps: 5_600, manual: false, web_upload: null, private: null },
    ...{ is_parent: false, parent_id: null },
  });
});

const types: [category: number, type: string][] = [
  [1, 'walking'],
  [2, 'running'],
  [3, 'hiking'],
  [6, 'cycling'],
  [7, 'swimming'],
  [16, 'strength_training'],
  [28, 'yoga'],
  [36, 'other'],
  [187, 'rowing'],
  [306, 'walking'],
  [307, 'running'],
  [308, 'cycling'],
  [498, 'running'],
  [9_999, 'other'],
];
for (const [category, type] of types)
  t.test(`category ${category} is ${type}`, async (t) =>
    t.equal(workoutOf(workout({ category }))?.type, type),
  );

t.test('a workout without data has null figures, and one that was typed in is manual', async (t) => {
  t.match(workoutOf(workout({ data: undefined })), {
    ...{ moving_seconds: null, distance_meters: null, avg_heart_rate_bpm: null, avg_pace_sec_per_km: null },
  });
  t.match(workoutOf(workout({ attrib: 2 })), { manual: true });
  t.match(workoutOf(workout({ attrib: undefined })), { manual: null });
});

t.test('a pause or a length out of range counts as absent', async (t) => {
  const made = (data: object) => {
    const { workout: record, extras } = normaliseWorkouts([workout({ data })], nowMs).items[0] ?? {};
    return [record?.moving_seconds, record?.distance_meters, extras?.details ?? null];
  };
  t.same(made({ pause_duration: -60, distance: -1, pool_length: -25 }), [null, null, null]);
  t.same(made({ pause_duration: 2_678_401 }), [null, null, null]);
  t.same(made({ pause_duration: 0, distance: 0, pool_length: 25 }), [2_400, 0, { pool_length_meters: 25 }]);
  t.same(made({ pause_duration: 2_678_400 }), [0, null, null]);
});

t.test('rows without activity and impossible ones are counted', async (t) => {
  const bad = [
    workout({ category: 128 }),
    workout({ enddate: morning - 1 }),
    workout({ startdate: morning + 864_000, enddate: morning + 864_100 }),
    { id: 1 },
  ];
  t.same(normaliseWorkouts(bad, nowMs), {
    ...{ items: [], intervals: [], sources: [] },
    skipped: { no_activity: 1, time_out_of_range: 2, unreadable: 1 },
  });
});
