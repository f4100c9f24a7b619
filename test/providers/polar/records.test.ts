import t from 'tap';
import type { Collection } from '../../../domain/recipe/collection.ts';
import { listPass } from '../../../domain/recipe/list-pass.ts';
import { normaliserOf } from '../../../domain/recipe/record-type.ts';
import { polar } from '../../../providers/polar/provider.ts';
import { collections } from '../../../providers/polar/records.ts';
import { bodies } from '../../fixtures/polar/bodies.ts';

const nowMs = Date.parse('2026-06-01T00:00:00Z');
const iso = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());

function read(name: keyof typeof collections, list: readonly unknown[]) {
  const all: Readonly<Record<string, Collection>> = collections;
  const collection = all[name];
  if (collection === undefined) throw new Error(name);
  return normaliserOf(name, collection)({ records: { list }, span: null, nowMs });
}

t.test('a night goes over midnight, and its maps with it', async (t) => {
  const [item] = read('sleep', bodies.sleep).items;
  const [night] = item?.sleeps ?? [];
  t.match(night, { date: '2026-03-02', zone_offset_minutes: 60, score: 80, interruptions: 0 });
  t.equal(iso(night?.start_ms), '2026-03-01T22:39:07.000Z');
  const minute = (clock: number) => clock * 60 - 7;
  t.same(night?.stage_intervals, [
    ['awake', 0, minute(11)],
    ['light', minute(11), minute(26)],
    ['deep', minute(26), minute(61)],
    ['light', minute(61), minute(91)],
    ['rem', minute(91), minute(111)],
    ['unmeasurable', minute(111), minute(431)],
    ['light', minute(431), 27_630],
  ]);
  const [rates] = item?.samples ?? [];
  t.equal(iso(rates?.base_ms), '2026-03-01T22:41:00.000Z');
  t.match(rates, { at: [0, 300_000, 1_200_000], values: [76, 77, 70], device: 'Polar sleep' });
});

t.test(
  'the values of a recharge begin on the day before, unless the night does not go over midnight',
  async (t) => {
    const [item] = read('recharge', bodies.recharge).items;
    t.equal(iso(item?.samples[0]?.base_ms), '2026-03-01T23:41:00.000Z');
    t.match(item?.samples[0]?.values, [14, 24, 62]);
    t.match(item?.scores, [
      { kind: 'recharge', value: 5, date: '2026-03-02', components: { ans_charge: 4.1 } },
    ]);
    const [given] = bodies.recharge;
    const byDay = [{ ...given, hrv_samples: { '13:10': 40, '09:00': 30 }, breathing_samples: {} }];
    const [late] = read('recharge', byDay).items;
    t.equal(iso(late?.samples[0]?.base_ms), '2026-03-02T09:00:00.000Z');
    t.match(late?.samples[0]?.values, [30, 40]);
  },
);

t.test(
  'a lost signal is no heart rate, and the track has the samples and the route on one axis',
  async (t) => {
    const { items, tracks } = read('activities', bodies.activities.slice(0, 1));
    const samples = Object.fromEntries(items[0]?.samples.map((one) => [one.type, one]) ?? []);
    t.match(samples.heart_rate, {
      at: [0, 10_000, 15_000],
      values: [100, 102, 97],
      device: 'Polar Vantage V2',
    });
    t.match(samples.speed, { values: [0, 3, 3.11111111111111] });
    t.match(samples.cadence, { values: [80, 85] });
    const track = tracks?.get('aQlC83');
    t.equal(iso(track?.times[0]), '2026-03-02T07:00:00.000Z');
    t.equal(track?.times.length, 5);
    t.same([...(track?.columns.get('heart_rate') ?? [])], [Number.NaN, 100, Number.NaN, 102, 97]);
    t.same([...(track?.columns.get('latitude') ?? [])].slice(0, 3), [60.219581, 60.219612, Number.NaN]);
    t.same([...(track?.columns.get('altitude') ?? [])].slice(0, 3), [47, 47.5, Number.NaN]);
  },
);

const span = { startMs: Date.parse('2026-03-02T00:00:00Z'), endMs: Date.parse('2026-03-03T00:00:00Z') };

t.test('an exercise that was deleted before it was read is passed over', async (t) => {
  const pass = listPass(collections.activities.read);
  const part = { span, cursor: null, page: null, nowMs };
  const list = ['one', 'two'].map((id) => ({ id, start_time: '2026-03-02T08:00:00' }));
  const old = { id: 'old', start_time: '2026-02-20T08:00:00' };
  const listed = pass.read({ status: 200, headers: {}, text: JSON.stringify([...list, old]) }, part);
  t.same(listed?.records, []);
  const first = { ...part, page: listed?.next ?? null };
  t.equal(pass.request({}, first).path, '/v3/exercises/one');
  const next = pass.missing?.(first);
  t.same(next?.records, []);
  t.equal(pass.request({}, { ...first, page: next?.next ?? null }).path, '/v3/exercises/two');
  t.equal(pass.missing?.(part), null, 'a list that is missing is not passed over');
});

const { notifications, failure } = polar.pull;
const hintsOf = (event: object) => notifications.read(Buffer.from(JSON.stringify(event)));

t.test('an event names the account, its kinds and a day, and its address is not used', async (t) => {
  const url = 'https://attacker.example/v3/exercises/1';
  t.same(hintsOf({ event: 'EXERCISE', user_id: 475, entity_id: 'aQlC83', url }), [
    { kind: 'changed', account: '475', types: ['activities'], span: null, id: 'aQlC83' },
  ]);
  const [sleep] = hintsOf({ event: 'SLEEP', user_id: 475, date: '2026-03-02', url }) ?? [];
  t.match(sleep, { types: ['sleep', 'recharge'], span: { startMs: Date.parse('2026-03-01T00:00:00Z') } });
  t.same(hintsOf({ event: 'PHYSICAL_INFORMATION', user_id: 475 }), []);
  t.equal(hintsOf({ event: 'EXERCISE' }), null);
  t.ok(notifications.isHandshake(Buffer.from('{"event":"PING"}')));
  t.notOk(notifications.isHandshake(Buffer.from('{"event":"EXERCISE"}')));
});

t.test('the window that is used up decides how long to wait', async (t) => {
  const wait = (usage: string) => {
    const limits = { 'ratelimit-limit': '500, 5000', 'ratelimit-reset': '60, 600', 'ratelimit-usage': usage };
    return failure({ status: 429, headers: limits, text: '' }, nowMs);
  };
  t.match(wait('500, 900'), { kind: 'limited', waitMs: 60_000 });
  t.match(wait('20, 5000'), { kind: 'limited', waitMs: 600_000 });
});

t.test('a count of steps lasts until the next one, within the total of the day', async (t) => {
  const [day] = bodies.days;
  const made = (total_steps: number) => {
    const samples = { ...day.samples, steps: { ...day.samples.steps, total_steps } };
    const { intervals } = read('days', [{ ...day, samples }]);
    return intervals?.intervals.map(({ start_ms, value }) => [iso(start_ms)?.slice(11, 16), value]);
  };
  t.same(made(269), [
    ['06:10', 88],
    ['06:11', 88],
    ['06:13', 93],
  ]);
  t.same(made(268), [
    ['06:10', 88],
    ['06:13', 93],
  ]);
});

t.test('a day without a load of the heart has no score, and what is not known is left out', async (t) => {
  const [load] = bodies.cardio_load;
  const unknown = { tolerance: -1, cardio_load_ratio: -1 };
  const none = { ...load, ...unknown, cardio_load: -1, cardio_load_status: 'LOAD_STATUS_NOT_AVAILABLE' };
  t.same(read('cardio_load', [none]).items, []);
  const [item] = read('cardio_load', [{ ...load, ...unknown }]).items;
  t.match(item?.scores, [{ value: 71.4, label: 'PRODUCTIVE', components: { strain: 60.5, low: 31.5 } }]);
  t.notOk(Object.hasOwn(item?.scores[0]?.components ?? {}, 'tolerance'));
});

t.test('a sport with a name of its own has the type of its kind', async (t) => {
  const [exercise] = bodies.activities;
  const typeOf = (detailed_sport_info: string) =>
    read('activities', [{ ...exercise, sport: 'OTHER', detailed_sport_info }]).items[0]?.workout?.type;
  t.same(
    ['TRACK_AND_FIELD_RUNNING', 'GRAVEL', 'TRIATHLON_SWIMMING', 'FUNCTIONAL_TRAINING', 'GOLF'].map(typeOf),
    ['running', 'cycling', 'swimming', 'strength_training', 'other'],
  );
});

t.test('a map of a night that ends before midnight is of the day before', async (t) => {
  const [first] = bodies.recharge;
  const [item] = read('recharge', [{ ...first, breathing_samples: { '22:10': 13, '22:15': 14 } }]).items;
  const found = item?.samples.find(({ type }) => type === 'respiratory_rate');
  t.equal(iso(found?.base_ms), '2026-03-01T22:10:00.000Z');
});
