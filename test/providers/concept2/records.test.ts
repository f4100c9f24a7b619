import t from 'tap';
import type { Hint } from '../../../domain/provider/notifications.ts';
import { listPass } from '../../../domain/recipe/list-pass.ts';
import { normaliserOf } from '../../../domain/recipe/record-type.ts';
import { concept2 } from '../../../providers/concept2/provider.ts';
import { collections } from '../../../providers/concept2/records.ts';
import { bodies } from '../../fixtures/concept2/bodies.ts';

const nowMs = Date.parse('2026-06-01T00:00:00Z');
const iso = (ms: number | null | undefined) => (ms == null ? null : new Date(ms).toISOString());
const [intervals, ride, typedIn, several] = bodies.activities;

function read(...list: readonly unknown[]) {
  return normaliserOf('activities', collections.activities)({ records: { list }, span: null, nowMs });
}

t.test('times are tenths of a second, and the date is the end of the workout', async (t) => {
  const [item] = read(intervals).items;
  // 250.3 s of work and 60 s of rest before 12:15:41 in UTC.
  t.equal(iso(item?.workout?.start_ms), '2026-03-02T12:10:30.700Z');
  t.equal(iso(item?.workout?.end_ms), '2026-03-02T12:15:41.000Z');
  t.match(item, {
    key: '40001',
    is_local: false,
    workout: {
      ...{ type: 'rowing', raw_type: 'rower', zone_offset_minutes: 60, duration_seconds: 310 },
      ...{ moving_seconds: 250, distance_meters: 1000, calories_kcal: 62, device: 'ErgData', manual: null },
      ...{ avg_heart_rate_bpm: 141, max_heart_rate_bpm: 168 },
    },
    extras: {
      details: { avg_cadence_rpm: 26, min_heart_rate_bpm: 96, work_kilojoules: 42, description: 'Steady.' },
      extra: { drag_factor: 118, stroke_count: 110, rest_distance: 43 },
    },
  });
});

t.test('an interval is a lap, and the next one begins after its rest', async (t) => {
  const [item] = read(intervals).items;
  const laps = item?.extras?.laps ?? [];
  t.same(
    laps.map(({ start_ms, end_ms }) => [iso(start_ms), iso(end_ms)]),
    [
      ['2026-03-02T12:10:30.700Z', '2026-03-02T12:12:35.600Z'],
      ['2026-03-02T12:13:35.600Z', '2026-03-02T12:15:41.000Z'],
    ],
  );
  t.match(laps[0], {
    ...{ duration_seconds: 124.9, moving_seconds: 124.9, distance_meters: 500 },
    ...{ avg_cadence_rpm: 26, avg_heart_rate_bpm: 141, max_heart_rate_bpm: 168 },
  });
});

t.test('strokes begin again in each interval, and have a power that follows from their pace', async (t) => {
  const { items, tracks } = read(intervals);
  const track = tracks?.get('40001');
  t.same(track?.times.map(iso), [
    '2026-03-02T12:10:33.000Z',
    '2026-03-02T12:12:35.600Z',
    '2026-03-02T12:13:38.100Z',
    '2026-03-02T12:15:41.000Z',
  ]);
  t.same([...(track?.columns.get('distance') ?? [])], [9.1, 500, 509.8, 1000]);
  t.same([...(track?.columns.get('heart_rate') ?? [])], [Number.NaN, 155, 149, 165], 'a rate of 0 is none');
  // 2:05 for 500 m are 179.2 W.
  t.equal(track?.columns.get('speed')?.[3], 4);
  t.equal(track?.columns.get('power')?.[3], 179.2);
  t.match(items[0]?.samples, [{ type: 'heart_rate', values: [155, 149, 165] }]);
});

t.test(
  'a pace of the bike is of 1000 m, and its splits are laps without a new begin of the strokes',
  async (t) => {
    const { items, tracks } = read(ride);
    t.match(items[0]?.workout, { type: 'cycling', duration_seconds: 600 });
    const track = tracks?.get('40002');
    t.same(track?.times.map(iso), ['2026-03-03T06:20:02.000Z', '2026-03-03T06:30:00.000Z']);
    t.same([...(track?.columns.get('speed') ?? [])][0], 8);
    t.equal(track?.columns.get('power')?.[0], 179.2, 'as a rower has at the same pace of 500 m');
    t.same(
      items[0]?.extras?.laps?.map(({ start_ms, avg_speed_meters_per_second: speed }) => [
        iso(start_ms),
        speed,
      ]),
      [
        ['2026-03-03T06:20:00.000Z', 8],
        ['2026-03-03T06:25:00.000Z', 8.66666666666667],
      ],
    );
  },
);

t.test('each interval of several machines has the pace of its own', async (t) => {
  const { items, tracks } = read(several);
  t.equal(items[0]?.workout?.type, 'other');
  t.same([...(tracks?.get('40004')?.columns.get('speed') ?? [])], [4, 4, 4, 4, 8, 8]);
  t.same(
    items[0]?.extras?.laps?.map(({ avg_power_watts }) => avg_power_watts),
    [179.2, 179.2, 22.4],
  );
});

t.test('power is not made up for machines without a flywheel', async (t) => {
  const { tracks, items } = read({
    ...intervals,
    type: 'water',
    workout: { splits: [{ time: 600, distance: 200 }] },
  });
  t.equal(tracks?.get('40001')?.columns.has('power'), false);
  t.match(items[0]?.extras?.laps, [{ avg_power_watts: null, distance_meters: 200 }]);
});

t.test('a result that was typed in is at noon of its day, without an offset', async (t) => {
  const [item] = read(typedIn).items;
  t.equal(item?.is_local, true);
  t.match(item?.workout, { zone_offset_minutes: null, duration_seconds: 6235, manual: true, device: 'Web' });
  t.equal(iso(item?.workout?.start_ms), '2016-06-21T12:00:00.000Z');
  const zoned = { ...typedIn, date_utc: '2016-06-21 04:00:00', workout: { splits: [{ time: 600 }] } };
  const [placed] = read(zoned).items;
  t.match(placed, { is_local: false, workout: { zone_offset_minutes: -240 } });
  t.equal(iso(placed?.workout?.start_ms), '2016-06-21T16:00:00.000Z');
  t.equal(iso(placed?.extras?.laps?.[0]?.start_ms), '2016-06-21T16:00:00.000Z', 'and its laps with it');
});

t.test('an older result without a time in UTC has the time of the clock', async (t) => {
  const [item] = read({ ...intervals, date_utc: null, timezone: null }).items;
  t.equal(item?.is_local, true);
  t.equal(iso(item?.workout?.end_ms), '2026-03-02T13:15:41.000Z');
  t.equal(item?.workout?.zone_offset_minutes, null);
});

t.test('strokes of an interval that the result does not have are counted and left out', async (t) => {
  const more = [...intervals.strokes.data, { t: 10, d: 30, p: 1250 }];
  const { skipped, tracks } = read({ ...intervals, strokes: { data: more } });
  t.same(skipped, { time_out_of_range: 1 });
  t.equal(tracks?.get('40001')?.times.length, 4);
  t.same(read({ ...intervals, date: 'yesterday', date_utc: null }).skipped, { unreadable: 1 });
});

const part = {
  span: { startMs: Date.parse('2026-03-02T00:00:00Z'), endMs: Date.parse('2026-03-03T00:00:00Z') },
};

t.test('a list is asked for by days around the span, and each result with its strokes', async (t) => {
  const pass = listPass(collections.activities.read);
  const first = { ...part, cursor: null, page: null, nowMs };
  t.same(pass.request({}, first), {
    path: '/api/users/me/results',
    query: { number: '250', from: '2026-03-01', to: '2026-03-04' },
  });
  const { strokes: _, ...listed } = intervals;
  const body = { data: [listed], meta: { pagination: { total_pages: 1 } } };
  // Some answers are JSON with the content type of a page.
  const headers = { 'content-type': 'text/html; charset=UTF-8' };
  const reply = { status: 200, headers, text: JSON.stringify(body) };
  t.equal(concept2.pull.failure(reply, nowMs), null);
  const page = pass.read(reply, first);
  t.same(page?.records, [listed]);
  const next = { ...first, page: page?.next ?? null };
  t.same(pass.request({}, next), {
    path: '/api/users/me/results/40001',
    query: { include: 'strokes' },
  });
  const own = pass.read({ ...reply, text: JSON.stringify({ data: intervals }) }, next);
  t.same(own, { records: [intervals], next: null, isDetail: true });
  const { items, tracks } = read(...(page?.records ?? []), ...(own?.records ?? []));
  t.equal(items.length, 1, 'the result that was read alone takes the place of the listed one');
  t.ok(tracks?.has('40001'));
  t.same(pass.read({ ...reply, text: '{}' }, first), { records: [], next: null });
  t.equal(pass.read({ ...reply, text: '<html>' }, first), null, 'a page is no answer');
});

t.test('an event names the account and the day, and a deletion the result alone', async (t) => {
  const hints = (body: unknown): readonly Hint[] | null =>
    concept2.pull.notifications.read(Buffer.from(JSON.stringify(body)));
  const startMs = Date.parse('2026-03-02T13:15:41Z');
  const changed = { kind: 'changed', account: '7001', types: ['activities'], id: '40001' };
  const span = { startMs, endMs: startMs + 1 };
  t.same(hints({ data: { type: 'result-added', result: intervals } }), [{ ...changed, span }]);
  t.same(hints({ data: { type: 'result-updated', result: { ...intervals, date: 'soon' } } }), [
    { ...changed, span: null },
  ]);
  t.same(hints({ data: { type: 'result-deleted', result_id: 745 } }), [
    { kind: 'record', types: ['activities'], id: '745' },
  ]);
  t.same(hints({ data: { type: 'user-renamed' } }), []);
  t.equal(hints({ data: { type: 'result-added', result: { id: 1 } } }), null);
  t.equal(hints([]), null);
});
