import t from 'tap';
import { minuteMs } from '../../../domain/time/time.ts';
import { activity, at, block, day, item, night, sleep, workout } from './items.ts';
import { setUp } from './setting.ts';

const { database, store, userId } = await setUp(t);

const startMs = at('06:00:00');
const heartRates = [
  block('heart_rate', [
    [startMs, 60],
    [startMs + minuteMs, 61],
  ]),
];
const details = { description: 'easy', avg_speed_meters_per_second: 2.5 };
const place = { date: '2026-03-01', start_ms: at('00:00:00'), zone_offset_minutes: 60, device: 'Watch 7' };
const score = { kind: 'readiness' as const, value: 71, label: 'good', components: { rest: 80 } };
const items = [
  activity(workout(startMs, 30), {
    extras: { details, laps: null, splits: null, extra: { floors: 3 } },
    samples: heartRates,
  }),
  night([
    sleep(at('00:00:00'), 300, {
      score: 80,
      stage_intervals: [['deep', 0, 18_000]],
      details: {
        validation: 'done',
        score_qualifier: null,
        score_parts: [],
        latency_seconds: 60,
        extra: { a: 1 },
      },
    }),
  ]),
  item({
    key: 'day',
    day: day('2026-03-01', { steps: 8000 }),
    day_values: {
      ...{ ...place, duration_seconds: 86_400, extra: { b: 2 } },
      values: { light_activity_seconds: 60, heart_rate_zone_seconds: [1, 2, null] },
    },
    scores: [{ ...place, ...score, end_ms: at('23:59:00') }],
  }),
  item({
    key: 'event',
    other: { ...place, end_ms: at('01:00:00'), type: 'unconfirmed_measurement', data: { reason: 'x' } },
  }),
];

t.test('another hash of the same content replaces it, and nothing is announced', async (t) => {
  const saved = await store(items);
  const announced = () =>
    database.query<{ kind: string }>('select kind from changes.pending where user_id = $1', [userId]);
  const kinds = new Set((await announced()).map(({ kind }) => kind));
  t.same(
    ['workout', 'sleep', 'activity_summary', 'day', 'score', 'timeseries'].filter((kind) => !kinds.has(kind)),
    [],
  );
  await database.query('delete from changes.pending');
  const again = await store(items.map((one) => ({ ...one, hash: `${one.hash} again` })));
  t.same(
    again.map(({ status }) => status),
    ['replaced', 'replaced', 'replaced', 'replaced'],
  );
  t.same(
    again.map(({ record_ids }) => record_ids),
    saved.map(({ record_ids }) => record_ids),
  );
  t.same(await announced(), []);
  await store([{ ...items[0], ...activity(workout(startMs, 31), { key: items[0]?.key ?? '' }) }]);
  t.ok((await announced()).some(({ kind }) => kind === 'workout'));
});
