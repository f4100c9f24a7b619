import t from 'tap';
import { normaliserOf } from '../../../domain/recipe/record-type.ts';
import { dexcom } from '../../../providers/dexcom/provider.ts';
import { collections, types } from '../../../providers/dexcom/records.ts';
import { bodies, deleted, low, ofReceiver } from '../../fixtures/dexcom/bodies.ts';

const nowMs = Date.parse('2026-03-02T12:00:00Z');
const [reading] = bodies.egvs;

const read = (name: keyof typeof collections, ...list: readonly object[]) =>
  normaliserOf(name, collections[name])({ records: { list }, span: null, nowMs });

/** The readings of records: the device, the offset and the values with their times. */
const readingsOf = (name: keyof typeof collections, ...list: readonly object[]) =>
  read(name, ...list).items.flatMap(({ samples }) =>
    samples.map(({ type, device, zone_offset_minutes, base_ms, values }) => [
      type,
      device,
      zone_offset_minutes,
      new Date(base_ms).toISOString(),
      ...values,
    ]),
  );

t.test('a reading of an app has the offset that it names', (t) => {
  t.same(readingsOf('egvs', reading ?? {}), [
    ['blood_glucose', 'Dexcom G7', -480, '2026-03-02T07:00:04.000Z', 118],
  ]);
  t.end();
});

t.test('a reading of a receiver has the difference of its clocks as offset', (t) => {
  const at = '2026-03-02T07:05:04.000Z';
  t.same(readingsOf('egvs', ofReceiver), [['blood_glucose', 'Dexcom G7 receiver', 60, at, 118]]);
  const offsetOf = (displayTime: string) => readingsOf('egvs', { ...ofReceiver, displayTime })[0]?.[2];
  t.equal(offsetOf('2026-03-02T07:05:04'), null, 'two equal times are of an unknown zone');
  t.equal(offsetOf('2026-03-02T00:06:00'), -420);
  t.equal(offsetOf('2020-01-01T00:00:00'), null, 'a clock that is set wrong shows no zone');
  t.end();
});

t.test('a value beyond the range of the sensor is 39 or 401, also without a number', (t) => {
  const as = (change: object) => readingsOf('egvs', { ...low, ...change })[0]?.[4];
  t.equal(as({}), 39);
  t.equal(as({ status: 'high' }), 401);
  t.equal(as({ value: 22, status: 'low' }), 39);
  t.equal(as({ value: 480, status: 'high' }), 401);
  t.equal(as({ value: 38, status: 'ok' }), 39);
  t.equal(as({ value: 40, status: 'ok' }), 40);
  t.equal(as({ value: 400, status: null }), 400);
  t.equal(as({ value: 2.1, unit: 'mmol/L', status: 'low' }), 39);
  for (const status of ['ok', 'unknown', null])
    t.same(read('egvs', { ...low, status }).skipped, { no_values: 1 }, `${status} without a number`);
  t.same(read('egvs', { ...low, value: 120, status: 'unknown' }).skipped, { no_values: 1 });
  t.end();
});

t.test('readings in mmol/L are stored in mg/dL', (t) => {
  t.equal(readingsOf('egvs', bodies.egvs[3] ?? {})[0]?.[4], 100.9);
  t.equal(readingsOf('calibrations', bodies.calibrations[1] ?? {})[0]?.[4], 120.7);
  t.end();
});

t.test('what a user typed in is a meal, a dose or a fingerstick', (t) => {
  const [meal, dose, fingerstick] = bodies.events;
  const made = read('events', ...bodies.events);
  t.same(
    made.items.flatMap(({ other }) => (other === null ? [] : [[other.type, other.data]])),
    [['nutrition', { carbohydrates_g: 45 }]],
  );
  t.match(made.intervals, {
    sources: [{ device_type: 'manual', device: 'Dexcom' }],
    intervals: [{ id: dose?.recordId, type: 'insulin_delivery', value: 4.5, zone_offset_minutes: -480 }],
  });
  t.same(readingsOf('events', fingerstick ?? {}), [
    ['blood_glucose', 'Dexcom fingerstick', -480, '2026-03-02T07:00:04.000Z', 111.7],
  ]);
  t.same(read('events', deleted).skipped, { deleted: 1 });
  const private_ = ['exercise', 'health', 'note'].map((eventType) => ({
    ...meal,
    eventType,
    value: 'light',
  }));
  t.same(read('events', ...private_).skipped, { measure_type_not_kept: 3 });
  t.same(read('events', { ...meal, value: 'much' }).skipped, { unreadable: 1 });
  t.end();
});

t.test('a list is asked for by times in UTC without a zone, and read again every hour', (t) => {
  const span = { startMs: Date.parse('2026-03-01T00:00:00Z'), endMs: Date.parse('2026-03-03T00:00:00Z') };
  const request = types.egvs?.passes.list?.request({}, { span, cursor: null, page: null, nowMs });
  t.same(request, {
    path: '/v3/users/self/egvs',
    query: { startDate: '2026-03-01T00:00:00', endDate: '2026-03-03T00:00:00' },
  });
  const [hourMs, dayMs] = [3_600_000, 86_400_000];
  for (const type of Object.values(types))
    t.same(type.sweeps, [
      { everyMs: hourMs, days: 3 },
      { everyMs: dayMs, days: 30 },
    ]);
  t.same(types.events?.replaces, {
    series: ['blood_glucose'],
    intervals: ['insulin_delivery'],
    records: ['others'],
    devices: ['Dexcom fingerstick'],
  });
  t.end();
});

t.test('the account is read from an answer, and a text without it names none', (t) => {
  const { readAccount } = dexcom.oauth.grant;
  t.equal(readAccount(JSON.stringify({ userId: 'a1', egvs: {} })), 'a1');
  t.equal(readAccount('{}'), null);
  t.equal(readAccount('maintenance'), null);
  t.end();
});
