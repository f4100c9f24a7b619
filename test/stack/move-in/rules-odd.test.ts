import { randomUUID } from 'node:crypto';
import t from 'tap';
import { partsOf } from '../../../domain/records/item-parts.ts';
import { StoreItem } from '../../../domain/records/records.ts';
import { archiveItems, sampleItems } from '../../../stack/move-in/rules/items.ts';
import type { Mapped } from '../../../stack/move-in/rules/mapped.ts';
import { recordItem, scoreItem } from '../../../stack/move-in/rules/records.ts';
import { ArchiveRow, RecordRow, SampleRow, ScoreRow } from '../../../stack/move-in/rules/rows.ts';
import { seeded } from '../../services/timeseries/model.ts';
import { anotherUser, setUp } from '../../services/timeseries/setting.ts';
import { definitions, source } from './rows.ts';

// Rows with odd values in every column: each is part of an item that the store takes, or is counted as left, exactly.

const { database, call } = await setUp(t);
const nowMs = Date.now();

const texts = [
  null,
  undefined,
  '',
  ' ',
  'x'.repeat(500),
  'a\0b',
  '\ud800',
  '\\u0000',
  '<b>',
  'Garmin',
  '\u001fmanual',
];
const figures = [
  null,
  '0',
  '0.000',
  '-1',
  '1',
  '12.345',
  '60',
  '9999999.999',
  '1e400',
  'NaN',
  'Infinity',
  '',
  2_147_483_648,
];
const times = [
  ...['2026-03-01T06:00:00Z', '2026-03-01T22:59:30Z', '2026-03-02T00:00:00+00:00', '2026-03-01 05:00:00+01'],
  ...[
    '1969-12-31T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '275760-09-13T00:00:00Z',
    'infinity',
    '',
    '2026-02-30T00:00:00Z',
  ],
  ...[new Date(Date.UTC(2026, 2, 1, 7)), new Date(nowMs), new Date(8.64e15)],
];
const offsets = [
  null,
  undefined,
  '+02:00',
  '-0330',
  '+18:01',
  '+00',
  'Z',
  'nonsense',
  '\0',
  '-00:30',
  '+14:00',
];
const deep = JSON.parse(`${'['.repeat(900)}${']'.repeat(900)}`);
const values = [
  null,
  undefined,
  0,
  'x',
  [],
  {},
  [1, null],
  { a: '\0' },
  deep,
  { zones: [{ zone: 1 }] },
  'y'.repeat(9000),
];
const stages = [
  ...values,
  [{ stage: 'deep', start_time: '2026-03-01T06:00:00Z', end_time: '2026-03-01T06:10:00Z' }],
  [{ stage: 'rem', start_time: '2026-03-01T06:10:00Z', end_time: '2026-03-01T06:00:00Z' }],
  [{ stage: 'toString', start_time: 1, end_time: null }, null],
];
const segments = [
  ...values,
  [{ kind: 'lap', index: 1, duration_seconds: 1e300 }],
  [{ kind: 'lap', index: 1.5, duration_seconds: 60, average_heartrate: -5 }],
  [
    { kind: 'pool_length', index: 1, distance_meters: 25 },
    { kind: 'split', distance_meters: 1000 },
  ],
];
const providers = [
  ...[
    'garmin',
    'strava',
    'oura',
    'whoop',
    'polar',
    'suunto',
    'ultrahuman',
    'google',
    'fitbit',
    'apple',
    'samsung',
  ],
  ...['withings', 'sensorbio', 'unknown', '', 'constructor'],
];
const flags = [null, undefined, true, false];

function generator(seed: number) {
  const next = seeded(seed);
  const one = <T>(list: readonly T[]): T => {
    const chosen = list[Math.floor(next() * list.length)];
    if (chosen === undefined && list.length === 0) throw new Error('nothing to choose');
    return chosen as T;
  };
  const each = (names: readonly string[], list: readonly unknown[]) =>
    Object.fromEntries(names.map((name) => [name, one(list)]));
  const span = () => ({ start_datetime: one(times), end_datetime: one(times), zone_offset: one(offsets) });
  return {
    source: () =>
      source(one(providers), {
        id: randomUUID(),
        ...each(['device_model', 'source', 'original_source_name', 'device_type'], texts),
      }),
    sample: () =>
      SampleRow.parse({
        recorded_at: one(times),
        zone_offset: one(offsets),
        value: one(figures),
        series_type_definition_id: one([...definitions.keys(), 999]),
        is_daily_total: one(flags),
      }),
    archived: () =>
      ArchiveRow.parse({
        bucket_start_at: one(times),
        aggregation_type: one(['sum', 'avg', 'min', 'max', 'SUM', null, 'total', '']),
        value: one(figures),
        series_type_definition_id: one([...definitions.keys(), 999]),
      }),
    record: () =>
      RecordRow.parse({
        id: one([randomUUID(), '00000000-0000-0000-0000-000000000001']),
        external_id: one(texts),
        category: one(['workout', 'sleep', 'menstrual_cycle', 'meal', '', '__proto__']),
        type: one([...texts, 'running', 'toString']),
        ...span(),
        duration_seconds: one(figures),
        workout_details: one([
          null,
          {
            ...each(['heart_rate_min', 'heart_rate_max', 'heart_rate_avg', 'energy_burned'], figures),
            ...each(['distance', 'steps_count', 'moving_time_seconds', 'total_elevation_gain'], figures),
            ...each(['elev_high', 'average_speed', 'max_speed', 'average_watts', 'average_cadence'], figures),
            ...each(['hr_zones', 'power_zones'], values),
            segments: one(segments),
          },
        ]),
        sleep_details: one([
          null,
          {
            ...each(['sleep_total_duration_minutes', 'sleep_time_in_bed_minutes'], figures),
            ...each(['sleep_deep_minutes', 'sleep_rem_minutes', 'sleep_light_minutes'], figures),
            ...each(['sleep_awake_minutes', 'sleep_efficiency_score'], figures),
            is_nap: one(flags),
            sleep_stages: one(stages),
          },
        ]),
        menstrual_cycle_details: one([
          null,
          {
            ...each(['day_in_cycle', 'cycle_length'], figures),
            current_phase_type: one(texts),
            last_updated_at: one(times),
            pregnancy_snapshot: one(values),
          },
        ]),
      }),
    score: () =>
      ScoreRow.parse({
        id: randomUUID(),
        user_id: randomUUID(),
        provider: one([...providers, 'internal']),
        category: one(['sleep', 'readiness', 'strain', 'stress', 'body_battery', 'luck', '__proto__']),
        value: one(figures),
        qualifier: one(texts),
        recorded_at: one(times),
        zone_offset: one(offsets),
        components: one([...values, { a: { value: '1' }, 'b\0': { qualifier: 'x' } }]),
      }),
    flag: () => next() < 0.5,
  };
}

const seeds = Array.from({ length: 12 }, (_, index) => index + 1);
const rowsEach = 60;

for (const seed of seeds)
  t.test(`odd rows of seed ${seed} end in items that the store takes, or are counted`, async (t) => {
    const rows = generator(seed);
    const from = rows.source();
    const list = <T>(make: () => T): T[] => Array.from({ length: rowsEach }, make);
    const [samples, archived] = [list(rows.sample), list(rows.archived)];
    const mapped: (readonly [count: number, mapped: Mapped])[] = [
      [rowsEach, sampleItems(from, samples, definitions, nowMs)],
      [rowsEach, archiveItems(from, archived, definitions, rows.flag)],
      ...list(rows.record).map((row) => [1, recordItem(from, row, nowMs)] as const),
      ...list(rows.score).map(
        (row) => [1, scoreItem(rows.flag() ? from : null, row, nowMs, { internal: rows.flag() })] as const,
      ),
    ];
    for (const [count, { items, left, provider }] of mapped) {
      const leftRows = left.reduce((sum, one) => sum + one.count, 0);
      t.ok(leftRows <= count);
      t.equal(items.length > 0, leftRows < count, 'rows that are not left are in an item');
      t.equal(provider === null, items.length === 0 && left.length > 0 && provider === null);
    }
    const { userId } = await anotherUser({ database, call });
    const store = async () => {
      const statuses = new Set<string>();
      for (const [, { items, provider }] of mapped)
        for (const item of items.flatMap((one) => partsOf(StoreItem.parse(one)))) {
          if (provider === null) throw new Error('an item has no provider');
          const outcomes = await call('timeseries.store', { user_id: userId, provider, items: [item] });
          for (const { status } of outcomes) statuses.add(status);
        }
      return statuses;
    };
    await store();
    const tables = ['workout', 'sleep_session', 'other_record', 'provider_day', 'day_value', 'score'];
    const stored = async () => {
      const counts: unknown[] = [];
      for (const table of tables)
        counts.push(
          await database.query(`select * from timeseries.${table} where user_id = $1 order by id`, [userId]),
        );
      return counts;
    };
    await store();
    const before = await stored();
    await store();
    t.same(await stored(), before);
  });
