import t from 'tap';
import { intervals } from '../../../providers/intervals/provider.ts';
import { types } from '../../../providers/intervals/records.ts';
import { bodies } from '../../fixtures/intervals/bodies.ts';

const nowMs = Date.parse('2026-06-01T00:00:00Z');
const span = { startMs: Date.parse('2026-03-02T00:00:00Z'), endMs: Date.parse('2026-03-03T00:00:00Z') };
const part = { span, cursor: null, page: null, nowMs };

function typeNamed(name: string) {
  const type = types[name];
  const list = type?.passes.list;
  if (type === undefined || list === undefined) throw new Error(`no type ${name}`);
  return { type, list };
}

const items = (name: string, ...list: readonly object[]) =>
  typeNamed(name).type.normalise({ records: { list }, span: null, nowMs }).items;

const [ride] = bodies.activities;
const [day] = bodies.wellness;

t.test('an activity of Strava is a stub: it is left out, and its details are not asked for', async (t) => {
  const { list } = typeNamed('activities');
  const stubs = [
    { id: 123, source: 'STRAVA', start_date: '2026-03-02T08:00:00Z' },
    { id: 124, source: null, _note: 'not available', start_date: '2026-03-02T08:00:00Z' },
  ];
  const text = JSON.stringify([...stubs, ride]);
  const page = list.read({ status: 200, headers: {}, text }, part);
  t.same(page?.records, []);
  const next = page?.next ?? null;
  t.match(list.request({}, { ...part, page: next }), { path: `/api/v1/activity/${ride?.id}` });
  const own = list.read({ status: 200, headers: {}, text: JSON.stringify(ride) }, { ...part, page: next });
  t.same([own?.records, own?.next], [[ride], null]);
});

t.test('an activity without a type does not cost the others', async (t) => {
  t.match(items('activities', { ...ride, type: undefined }, { ...ride, id: 'i2' }), [
    { workout: { type: 'other', zone_offset_minutes: 60 } },
    { workout: { type: 'cycling', raw_type: 'Ride' } },
  ]);
});

t.test('a figure of an interval that is out of range is absent, and the others stay', async (t) => {
  const [interval] = ride?.icu_intervals ?? [];
  const wrong = { ...interval, average_heartrate: -5, distance: 'far' };
  t.match(items('activities', { ...ride, icu_intervals: [wrong] })[0]?.extras?.laps, [
    { avg_heart_rate_bpm: null, distance_meters: null, max_heart_rate_bpm: interval?.max_heartrate },
  ]);
});

t.test('intervals are laps, from their seconds in the activity', async (t) => {
  const startMs = Date.parse('2026-03-02T08:00:00Z');
  t.match(items('activities', { ...ride })[0]?.extras?.laps, [
    { start_ms: startMs + 60_000, end_ms: startMs + 1_260_000, avg_power_watts: 214 },
    { start_ms: startMs + 1_260_000, end_ms: startMs + 1_500_000 },
  ]);
});

t.test('values that are carried over, and those of no measurement, are absent', async (t) => {
  const names = (fields: object) =>
    items('wellness', { ...day, ...fields }).flatMap(({ samples }) => samples.map(({ type }) => type));
  t.ok(names({}).includes('weight'));
  const carried = names({ tempWeight: true, tempRestingHR: true, hrv: 255 });
  for (const name of ['weight', 'resting_heart_rate', 'heart_rate_variability_rmssd'])
    t.notOk(
      carried.some((one) => one === name),
      name,
    );
  t.ok(carried.includes('heart_rate_variability_sdnn'), 'SDNN is a series of its own');
  t.same(items('wellness', { id: '2026-03-02', weight: null, steps: null })[0]?.samples ?? [], []);
});

t.test('where a record came from is one of our providers, or none of them', async (t) => {
  const { origin } = typeNamed('activities').type;
  const of = (source: unknown) => origin?.({ source });
  t.same(['GARMIN_CONNECT', 'WAHOO', 'UPLOAD', null, 'toString'].map(of), [
    ...['devicemaker', 'wahoo', null, null, null],
  ]);
  t.equal(typeNamed('wellness').type.origin, undefined, 'wellness names no source');
});

t.test('a notification has events of several accounts', async (t) => {
  const read = (body: object) => intervals.pull.notifications.read(Buffer.from(JSON.stringify(body)));
  const events = [
    { athlete_id: 'i1', type: 'ACTIVITY_UPLOADED', activity: { id: 'i7' } },
    { athlete_id: 'i2', type: 'WELLNESS_UPDATED' },
    { athlete_id: 'i2', type: 'CALENDAR_UPDATED' },
    { athlete_id: null, type: 'ACTIVITY_UPLOADED' },
  ];
  t.same(read({ secret: null, events }), [
    { kind: 'changed', account: 'i1', types: ['activities'], span: null, id: 'i7' },
    { kind: 'changed', account: 'i2', types: ['wellness'], span: null },
  ]);
  t.equal(read({ events: null }), null);
});
