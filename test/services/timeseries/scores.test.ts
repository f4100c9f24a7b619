import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { ScoreKind } from '../../../domain/records/scores.ts';
import { providerNamed } from '../../../providers/all.ts';
import { types as oura } from '../../../providers/oura/records.ts';
import { types as polar } from '../../../providers/polar/records.ts';
import { types as suunto } from '../../../providers/suunto/records.ts';
import { types as whoop } from '../../../providers/whoop/records.ts';
import timeseries from '../../../services/timeseries/timeseries.service.ts';
import users from '../../../services/users/users.service.ts';
import { bodies as ouraBodies } from '../../fixtures/oura/bodies.ts';
import { bodies as polarBodies } from '../../fixtures/polar/bodies.ts';
import { bodies as suuntoBodies } from '../../fixtures/suunto/bodies.ts';
import { bodies as whoopBodies } from '../../fixtures/whoop/bodies.ts';
import { refusal } from '../../support/refusal.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { at, block, dayValues, item, night, other, score, sleep, workout } from './items.ts';

const database = await freshDatabase(t);
const { call } = await startBroker(t, {
  databaseUrl: database.url,
  services: [timeseries, users],
  settings: { DATABASE_POOL: '4', PROVIDER_NAMES: 'devicemaker=garmin' },
});
const range = { start_date: '2026-03-01', end_date: '2026-03-31' };

async function wearer() {
  const { id: user_id } = await call('users.create', {});
  const store = (items: ReturnType<typeof item>[], provider: 'devicemaker' | 'withings' = 'devicemaker') =>
    call('timeseries.store', { user_id, provider, items });
  const list = (query = {}) => call('timeseries.scores', { user_id, ...range, limit: 50, ...query });
  const values = async (query = {}) =>
    (await list(query)).data.map(({ date, kind, value }) => `${date} ${kind} ${value}`);
  return { user_id, store, list, values };
}

const ofDay = (date: string, fields: Parameters<typeof score>[1] = {}) =>
  item({ data_type: 'daily_readiness', key: date, supersede: 'latest', scores: [score(date, fields)] });

t.test('a score has its components, source, day and span', async (t) => {
  const { store, list } = await wearer();
  const components = { hrv_balance: 81, sleep_regularity: 'good', recovery_index: null };
  await store([ofDay('2026-03-02', { components, value: 70.5, label: 'good' })]);
  const { data, pagination, metadata } = await list();
  t.strictSame(
    data.map(({ id: _, ...rest }) => rest),
    [
      {
        ...{ kind: 'readiness', value: 70.5, label: 'good', components },
        ...{ source: { provider: 'garmin', device: 'Ring 4' }, date: '2026-03-02', zone_offset: '+02:00' },
        ...{ start_time: '2026-03-02T00:00:00Z', end_time: '2026-03-02T01:00:00Z' },
      },
    ],
  );
  t.match(pagination, { total_count: 1, has_more: false, previous_cursor: null });
  t.match(metadata, { start_time: '2026-03-01T00:00:00Z', end_time: '2026-04-01T00:00:00Z' });
});

t.test('a night that is scored three times is one record with one id', async (t) => {
  const { user_id, store, list } = await wearer();
  const ids = new Set<string>();
  for (const value of [61, 68, 74]) {
    const [outcome] = await store([ofDay('2026-03-02', { kind: 'recovery', value, components: { value } })]);
    t.equal(outcome?.status, value === 61 ? 'saved' : 'replaced');
    const { data } = await list();
    t.match(data, [{ kind: 'recovery', value, components: { value } }]);
    t.equal(data.length, 1);
    for (const { id } of data) ids.add(id);
  }
  t.equal(ids.size, 1);
  t.equal((await database.query('select from timeseries.score where user_id = $1', [user_id])).length, 1);
});

t.test('a later version without a kind of score deletes it, of that item only', async (t) => {
  const { store, values } = await wearer();
  const scores = (...kinds: ScoreKind[]) => kinds.map((kind) => score('2026-03-02', { kind, value: 5 }));
  const version = (...kinds: ScoreKind[]) =>
    item({ data_type: 'cycle', key: 'one', supersede: 'latest', scores: scores(...kinds) });
  await store([
    version('strain', 'recovery'),
    item({ data_type: 'cycle', key: 'two', scores: scores('strain') }),
  ]);
  t.equal((await values()).length, 3);
  await store([version('recovery', 'cardio_load')]);
  t.same((await values()).toSorted(), [
    '2026-03-02 cardio_load 5',
    '2026-03-02 recovery 5',
    '2026-03-02 strain 5',
  ]);
  await store([version('strain'), version()], 'devicemaker');
  t.same(await values(), ['2026-03-02 strain 5']);
});

t.test('a further part of an item keeps the scores of its first', async (t) => {
  const { store, values } = await wearer();
  const part = (number: number, hash: string) => ({
    ...{
      data_type: 'workout',
      key: 'run',
      hash,
      supersede: 'latest' as const,
      part: number,
      duration_seconds: 1800,
      more: number === 0,
    },
    samples: [block('heart_rate', [[at('10:00:00') + number * 1000, 60]])],
  });
  const first = (hash: string) => ({
    ...part(0, hash),
    workout: workout(at('10:00:00'), 30),
    scores: [score('2026-03-01', { kind: 'workout_strain', value: 12.5 })],
  });
  for (const hash of ['first', 'second']) {
    await store([first(hash)]);
    await store([part(1, hash)]);
    t.same(await values(), ['2026-03-01 workout_strain 12.5'], hash);
  }
});

t.test('a score without a day is on that of its own clock, of the clock of the user otherwise', async (t) => {
  const { store, list } = await wearer();
  const late = { date: null, start_ms: at('23:30:00'), end_ms: at('23:30:00') };
  await store([ofDay('2026-03-01', { ...late, zone_offset_minutes: 60 })]);
  await store([ofDay('2026-03-05', { ...late, zone_offset_minutes: null })]);
  const { data } = await list();
  t.match(data, [{ date: '2026-03-02' }, { date: '2026-03-02' }]);
  t.same(new Set(data.map(({ zone_offset }) => zone_offset)), new Set(['+01:00', null]));

  const traveller = await wearer();
  const early = { ...late, kind: 'recovery' as const, zone_offset_minutes: 0 };
  const later = { date: null, start_ms: at('23:50:00'), end_ms: at('23:50:00'), zone_offset_minutes: 60 };
  await traveller.store([item({ scores: [score('2026-03-01', early), score('2026-03-01', later)] })]);
  t.same(await traveller.values(), ['2026-03-02 readiness 70', '2026-03-01 recovery 70']);
});

const detailsOf = (
  score_qualifier: string | null,
  score_parts: { name: string; value: number | null }[],
) => ({
  ...{ validation: null, score_qualifier, latency_seconds: null, extra: null },
  score_parts: score_parts.map((part) => ({ ...part, qualifier: 'FAIR' })),
});

t.test('sleep sessions and day values have scores that are stored once', async (t) => {
  const { user_id, store, list } = await wearer();
  const parts = [
    { name: 'rem', value: 62 },
    { name: 'deep', value: null },
  ];
  const bedtime = at('22:00:00', '2026-03-01');
  const values = {
    ...{ average_stress_level: 31, max_stress_level: 88, stress_qualifier: 'calm', steps_goal: 9000 },
    ...{ body_battery_charged: 55, body_battery_drained: 40 },
  };
  await store([
    night([sleep(bedtime, 400, { score: 80, details: detailsOf('GOOD', parts), date: '2026-03-02' })]),
    night([sleep(at('14:00:00', '2026-03-04'), 30, { date: '2026-03-04' })]),
    item({ data_type: 'dailies', day_values: dayValues('2026-03-02', { values }) }),
    item({ data_type: 'hrv', day_values: dayValues('2026-03-03', { values: { hrv_night_average_ms: 50 } }) }),
  ]);
  const { data } = await list();
  const garmin = { provider: 'garmin', device: 'Watch 7' };
  t.strictSame(
    data.map(({ id: _, ...rest }) => rest).toSorted((a, b) => a.kind.localeCompare(b.kind)),
    [
      {
        ...{ kind: 'body_battery', value: null, label: null },
        components: { body_battery_charged: 55, body_battery_drained: 40 },
        ...{ source: garmin, date: '2026-03-02', start_time: '2026-03-02T00:00:00Z' },
        ...{ end_time: '2026-03-02T01:00:00Z', zone_offset: '+02:00' },
      },
      {
        ...{ kind: 'sleep', value: 80, label: 'GOOD', components: { rem: 62, deep: 'FAIR' } },
        ...{ source: garmin, date: '2026-03-02', start_time: '2026-03-01T22:00:00Z' },
        ...{ end_time: '2026-03-02T04:40:00Z', zone_offset: '+01:00' },
      },
      {
        ...{ kind: 'stress', value: 31, label: 'calm', components: { max_stress_level: 88 } },
        ...{ source: garmin, date: '2026-03-02', start_time: '2026-03-02T00:00:00Z' },
        ...{ end_time: '2026-03-02T01:00:00Z', zone_offset: '+02:00' },
      },
    ],
  );
  t.equal(new Set(data.map(({ id }) => id)).size, 3);
  t.equal((await list({ kind: 'sleep' })).data.length, 1);
  t.equal((await list({ kind: 'stress' })).pagination.total_count, 1);
  t.same(await database.query('select from timeseries.score where user_id = $1', [user_id]), []);
});

t.test('pages go through all scores once, forward and back', async (t) => {
  const { store, list } = await wearer();
  const days = ['2026-03-01', '2026-03-02', '2026-03-03'];
  await store([
    ...days.flatMap((date) => [
      ofDay(date),
      item({
        data_type: 'recovery',
        scores: [score(date, { kind: 'recovery', start_ms: at('05:00:00', date) })],
      }),
      item({ data_type: 'dailies', day_values: dayValues(date) }),
    ]),
    night([sleep(at('22:00:00', '2026-03-02'), 400, { score: 80, date: '2026-03-03' })]),
  ]);
  const all = (await list()).data;
  t.equal(all.length, 10);
  t.same(
    all.map(({ date }) => date),
    all
      .map(({ date }) => date)
      .toSorted()
      .toReversed(),
  );
  t.match(all, [{ kind: 'recovery' }], 'of one day the one that starts last is first');
  const seen: string[] = [];
  const pages: string[][] = [];
  let back: string | null = null;
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof list>> = await list({ limit: 3, cursor });
    t.equal(page.pagination.total_count, 10);
    pages.push(page.data.map(({ id }) => id));
    seen.push(...page.data.map(({ id }) => id));
    back = page.pagination.previous_cursor;
    cursor = page.pagination.next_cursor;
  }
  t.same(
    seen,
    all.map(({ id }) => id),
  );
  const previous = await list({ limit: 3, cursor: back });
  t.same(
    previous.data.map(({ id }) => id),
    pages.at(-2),
  );
});

t.test('a list has the kind, the provider and the days that are asked for', async (t) => {
  const { store, values, list } = await wearer();
  await store([ofDay('2026-03-01'), ofDay('2026-03-02'), ofDay('2026-03-03'), ofDay('2026-04-01')]);
  await store([ofDay('2026-03-02', { kind: 'sleep', value: 90 })], 'withings');
  t.same(await values({ kind: 'sleep' }), ['2026-03-02 sleep 90']);
  t.same(await values({ provider: 'withings' }), ['2026-03-02 sleep 90']);
  t.same(await values({ kind: 'sleep', provider: 'devicemaker' }), []);
  t.same(await values({ start_date: '2026-03-02', end_date: '2026-03-03', provider: 'devicemaker' }), [
    '2026-03-03 readiness 70',
    '2026-03-02 readiness 70',
  ]);
  const { next_cursor } = (await list({ limit: 1 })).pagination;
  await t.rejects(list({ kind: 'sleep', cursor: next_cursor }), refusal('CURSOR_INVALID'));
  await t.rejects(list({ cursor: 'x' }), refusal('CURSOR_INVALID'));
  await t.rejects(list({ start_date: '2026-03-02', end_date: '2026-03-01' }), refusal('RANGE_INVALID'));
  await t.rejects(call('timeseries.scores', { user_id: randomUUID(), ...range }), refusal('USER_NOT_FOUND'));
});

t.test('what deletes an item deletes its scores', async (t) => {
  const { user_id, store, values } = await wearer();
  const [strain, mood] = [{ kind: 'strain', value: 9 } as const, { kind: 'stress', value: null } as const];
  await store([
    night([sleep(at('22:00:00'), 400)], {
      data_type: 'sleep',
      key: 'night',
      scores: [score('2026-03-02', strain)],
    }),
    item({
      data_type: 'moveiq',
      key: 'walk',
      other: other(at('13:00:00')),
      scores: [score('2026-03-01', mood)],
    }),
    ofDay('2026-03-03'),
  ]);
  t.equal((await values()).length, 3);
  const provider = 'devicemaker' as const;
  await call('timeseries.deleteItems', { user_id, provider, sleeps: ['night'], events: [], samples: [] });
  t.same(await values(), ['2026-03-03 readiness 70', '2026-03-01 stress null']);
  await call('timeseries.deleteItems', { user_id, provider, sleeps: [], events: ['walk'], samples: [] });
  t.same(await values(), ['2026-03-03 readiness 70']);
});

t.test('a span that is read again loses the scores that are no longer sent', async (t) => {
  const { user_id, store, values } = await wearer();
  const days = ['2026-03-01', '2026-03-02', '2026-03-03'];
  await store([
    ...days.map((date) => ofDay(date)),
    item({ data_type: 'other', scores: [score('2026-03-01')] }),
  ]);
  await call('timeseries.replace', {
    ...{ user_id, provider: 'devicemaker', items: [ofDay('2026-03-02', { value: 71 })] },
    replaces: {
      ...{ data_type: 'daily_readiness', series: [], records: ['scores'] },
      ...{ start_ms: Date.parse('2026-03-01'), end_ms: Date.parse('2026-03-03') },
    },
  });
  t.same(await values(), ['2026-03-03 readiness 70', '2026-03-02 readiness 71', '2026-03-01 readiness 70']);
  const [first] = await store([ofDay('2026-03-01')]);
  t.equal(first?.status, 'saved', 'its item was forgotten');
});

t.test(
  'scores of other users are neither read nor changed, and are purged and erased with their user',
  async (t) => {
    const [one, two] = [await wearer(), await wearer()];
    for (const { store } of [one, two]) {
      await store([ofDay('2026-03-02')]);
      await store([ofDay('2026-03-02', { value: 80 })], 'withings');
    }
    const name = { data_type: 'daily_readiness', key: '2026-03-02', supersede: 'latest' as const };
    await one.store([item({ ...name, scores: [] })]);
    await one.store([ofDay('2026-03-02', { value: 1 })]);
    t.same((await two.values()).toSorted(), ['2026-03-02 readiness 70', '2026-03-02 readiness 80']);
    await call('timeseries.purge', { user_id: one.user_id, provider: 'devicemaker', version: 1 });
    t.same(await one.values(), ['2026-03-02 readiness 80']);
    await call('timeseries.erase', { user_id: one.user_id });
    t.same(await database.query('select from timeseries.score where user_id = $1', [one.user_id]), []);
    t.equal((await two.values()).length, 2);
  },
);

t.test('an export has the stored scores, with their kind beside that of the line', async (t) => {
  const { user_id, store } = await wearer();
  await store([ofDay('2026-03-02', { components: { a: 1 } })]);
  const { records } = await call('timeseries.exportRecords', {
    user_id,
    kind: 'score',
    after: null,
    limit: 10,
  });
  t.match(records, [
    { kind: 'readiness', value: 70, components: { a: 1 }, date: '2026-03-02', provider: 'garmin' },
  ]);
});

t.test(
  'a number out of the range of its kind, two scores of a kind and 41 components are refused',
  async (t) => {
    const { store, values } = await wearer();
    const many = Object.fromEntries(Array.from({ length: 41 }, (_, n) => [`part ${n}`, n]));
    for (const scores of [
      [score('2026-03-01', { value: 100.5 })],
      [score('2026-03-01', { kind: 'recharge', value: 0 })],
      [score('2026-03-01', { kind: 'resilience', value: 1 })],
      [score('2026-03-01'), score('2026-03-02')],
      [score('2026-03-01', { components: many })],
    ])
      await t.rejects(store([item({ scores })]), refusal('VALIDATION_FAILED'));
    await store([
      item({ scores: [score('2026-03-01', { kind: 'resilience', value: null, label: 'solid' })] }),
    ]);
    t.same(await values(), ['2026-03-01 resilience null']);
  },
);

t.test('what a provider says of a day is one score of each kind', async (t) => {
  const given = { oura: ouraBodies, polar: polarBodies, suunto: suuntoBodies, whoop: whoopBodies };
  const nowMs = Date.UTC(2026, 11, 1);
  for (const [provider, types] of Object.entries({ oura, polar, suunto, whoop })) {
    const bodies: Readonly<Record<string, readonly unknown[]>> = Reflect.get(given, provider);
    const { id: user_id } = await call('users.create', {});
    const items = Object.entries(types).flatMap(([name, type]) => [
      ...type.normalise({ records: { list: bodies[name] ?? [] }, span: null, nowMs }).items,
    ]);
    await call('timeseries.store', { user_id, provider: providerNamed(provider) ?? 'oura', items });
    const { data } = await call('timeseries.scores', {
      ...{ user_id, start_date: '2020-01-01', end_date: '2026-12-31', limit: 100 },
    });
    const byDay = Map.groupBy(data, ({ date, kind }) => `${date} ${kind}`);
    const offenders = [...byDay].flatMap(([day, own]) => (own.length === 1 ? [] : [[day, own]]));
    t.ok(data.length > 0, provider);
    t.strictSame(offenders, [], provider);
    if (provider === 'oura')
      t.match(
        data.find(({ kind }) => kind === 'stress'),
        { value: null, label: 'restored', components: { stress_high: 5400, recovery_high: 7200 } },
      );
  }
});
