import t from 'tap';
import { IntervalRecord, IntervalSource } from '../../../domain/records/interval-records.ts';
import { StoreItem } from '../../../domain/records/records.ts';
import { day, importedDay, intraday, morning, nowMs } from '../../fixtures/withings/records.ts';
import { normaliseDays, normaliseIntraday } from './normalise.ts';

const dayOf = (record: unknown) => StoreItem.parse(normaliseDays([record], nowMs).items[0]).day;

t.test('a day has the totals of the provider', async (t) => {
  t.same(dayOf(day()), {
    ...{ date: '2026-03-01', start_ms: Date.UTC(2026, 1, 28, 23), duration_seconds: 86_400 },
    ...{ zone_offset_minutes: 60, device: 'ScanWatch', steps: 8_123, distance_meters: 6_021.4 },
    ...{ floors_climbed: 12, active_seconds: 6_000, moderate_seconds: 1_800, vigorous_seconds: 600 },
    ...{ active_calories_kcal: 412.5, basal_calories_kcal: 1_700, avg_heart_rate_bpm: 71 },
    ...{ min_heart_rate_bpm: 48, max_heart_rate_bpm: 151, pushes: null, consumed_calories_kcal: null },
  });
});

t.test('a day has its parts as values of the day', async (t) => {
  const valuesOf = (record: unknown) => StoreItem.parse(normaliseDays([record], nowMs).items[0]).day_values;
  t.strictSame(valuesOf(day({ hr_zone_3: 'none' })), {
    ...{ date: '2026-03-01', start_ms: Date.UTC(2026, 1, 28, 23), duration_seconds: 86_400 },
    ...{ zone_offset_minutes: 60, device: 'ScanWatch' },
    values: { light_activity_seconds: 3_600, heart_rate_zone_seconds: [60_000, 2_000, 300, null] },
    extra: null,
  });
  t.equal(valuesOf({ date: '2026-03-01' }), null);
});

t.test(
  'a time of more than 100,000 seconds is none of a day, whose active time is then not known',
  async (t) => {
    const made = (fields: Record<string, number>) => {
      const { day: record, day_values } = normaliseDays([day(fields)], nowMs).items[0] ?? {};
      const { active_seconds, moderate_seconds, vigorous_seconds } = record ?? {};
      return [active_seconds, moderate_seconds, vigorous_seconds, day_values?.values.light_activity_seconds];
    };
    t.same(made({ soft: 100_000, moderate: 100_001, intense: 60 }), [null, null, 60, 100_000]);
    t.same(made({ soft: 100_001, moderate: 59.6, intense: -1 }), [null, 60, null, undefined]);
  },
);

t.test('days on which the clocks change have 23 and 25 hours', async (t) => {
  const seconds = (date: string) =>
    StoreItem.parse(normaliseDays([day({ date })], Date.UTC(2027, 0)).items[0]).day?.duration_seconds;
  t.same([seconds('2026-03-29'), seconds('2026-10-25'), seconds('2026-07-01')], [82_800, 90_000, 86_400]);
});

t.test('an imported row is shorter than the row of a device, so that it counts last', async (t) => {
  t.match(dayOf(importedDay()), { device: 'imported', duration_seconds: 86_399, steps: 9_999 });
  t.match(dayOf(day({ deviceid: null, brand: 1, is_tracker: true })), { duration_seconds: 86_400 });
  const keys = normaliseDays([day(), importedDay()], nowMs).items.map(({ key }) => key);
  t.equal(new Set(keys).size, 2);
});

t.test('a field that nobody sent is null, and an invalid one counts as absent', async (t) => {
  const bare = dayOf({ date: '2026-03-01' });
  t.match(bare, { start_ms: Date.UTC(2026, 2, 1), zone_offset_minutes: null, steps: null });
  t.match(bare, { active_seconds: null, basal_calories_kcal: null, device: 'unknown' });
  t.match(dayOf(day({ steps: 'many', hr_average: 0, totalcalories: 3 })), {
    ...{ steps: null, avg_heart_rate_bpm: null, basal_calories_kcal: null, distance_meters: 6_021.4 },
  });
  t.same(normaliseDays([day({ date: 'yesterday' }), day({ date: '2031-01-01' })], nowMs).skipped, {
    ...{ unreadable: 1, time_out_of_range: 1 },
  });
});

t.test('intraday activity is interval data with its device', async (t) => {
  const { intervals, sources, items } = normaliseIntraday([intraday(morning)], nowMs);
  const span = { source: 0, start_ms: morning * 1000, end_ms: (morning + 60) * 1000 };
  t.same(items, []);
  t.same(
    sources.map((one) => IntervalSource.parse(one)),
    [{ device_type: 'watch', device: 'ScanWatch', device_id: 'w1', app: null }],
  );
  t.match(
    intervals.map((one) => IntervalRecord.parse(one)),
    [
      { type: 'steps', value: 84, ...span },
      { type: 'distance_walking_running', value: 61.5, ...span },
      { type: 'energy', value: 3.2, ...span },
      { type: 'flights_climbed', value: 0, ...span },
    ],
  );
  t.equal(new Set(intervals.map(({ id }) => id)).size, 4, 'ids differ between types');
});

t.test('intraday heart rates are samples, an item per hour and device', async (t) => {
  const beat = (epoch: number, heart_rate: number, model = 'ScanWatch') => ({ epoch, heart_rate, model });
  const hour = Math.ceil(morning / 3600) * 3600;
  const records = [beat(hour + 600, 66), beat(hour, 64), beat(hour + 3600, 70), beat(hour, 99, 'Steel HR')];
  const { items, intervals } = normaliseIntraday(records, nowMs);
  t.same(intervals, []);
  t.same(
    items.map((item) =>
      StoreItem.parse(item).samples.map(({ device, base_ms, at, values }) => [device, base_ms, at, values]),
    ),
    [
      [['ScanWatch', hour * 1000, [0, 600_000], [64, 66]]],
      [['ScanWatch', (hour + 3600) * 1000, [0], [70]]],
      [['Steel HR', hour * 1000, [0], [99]]],
    ],
  );
});

t.test('entries of unknown devices rank last, and unreadable ones are counted', async (t) => {
  const { sources, skipped } = normaliseIntraday(
    [intraday(morning, { deviceid: null, model: null }), { epoch: 'x' }, intraday(morning + 864_000)],
    nowMs,
  );
  t.same(sources, [{ device_type: 'unknown', device: 'unknown', device_id: null, app: null }]);
  t.same(skipped, { unreadable: 1, time_out_of_range: 1 });
});
