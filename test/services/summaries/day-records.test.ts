import { randomUUID } from 'node:crypto';
import t from 'tap';
import summaries from '../../../services/summaries/summaries.service.ts';
import timeseries from '../../../services/timeseries/timeseries.service.ts';
import users from '../../../services/users/users.service.ts';
import { refusal } from '../../support/refusal.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { block, day, dayValues, item } from '../timeseries/items.ts';

const database = await freshDatabase(t);
const { call } = await startBroker(t, {
  databaseUrl: database.url,
  services: [timeseries, users, summaries],
  settings: { DATABASE_POOL: '4', PROVIDER_NAMES: 'devicemaker=garmin' },
});
const range = { start_date: '2026-03-01', end_date: '2026-03-31' };

async function wearer() {
  const { id: user_id } = await call('users.create', {});
  const store = (items: ReturnType<typeof item>[], provider: 'devicemaker' | 'withings' = 'devicemaker') =>
    call('timeseries.store', { user_id, provider, items });
  return { user_id, store, list: (query = {}) => call('summaries.days', { user_id, ...range, ...query }) };
}

t.test('a day has the records of each provider and data type, as they were sent', async (t) => {
  const { user_id, store, list } = await wearer();
  const values = { steps_goal: 8000, stress_qualifier: 'calm', heart_rate_zone_seconds: [60, null] };
  await store([
    item({ data_type: 'stressDetails', day_values: dayValues('2026-03-01', { extra: { a: { b: 1 } } }) }),
    item({ data_type: 'dailies', day: day('2026-03-01'), day_values: dayValues('2026-03-01', { values }) }),
  ]);
  const unzoned = { zone_offset_minutes: null, device: 'Scale', duration_seconds: 0 };
  await store([item({ data_type: 'days', day_values: dayValues('2026-03-01', unzoned) })], 'withings');
  const garmin = { provider: 'garmin', device: 'Watch 7' };
  const span = {
    start_time: '2026-03-01T00:00:00Z',
    end_time: '2026-03-01T01:00:00Z',
    zone_offset: '+02:00',
  };
  const shown = {
    date: '2026-03-01',
    records: [
      { source: garmin, data_type: 'dailies', ...span, values, extra: null },
      {
        ...{ source: garmin, data_type: 'stressDetails', ...span },
        ...{ values: { average_stress_level: 31 }, extra: { a: { b: 1 } } },
      },
      {
        ...{ source: { provider: 'withings', device: 'Scale' }, data_type: 'days', extra: null },
        ...{ start_time: span.start_time, end_time: span.start_time, zone_offset: null },
        values: { average_stress_level: 31 },
      },
    ],
  };
  t.strictSame((await list()).data, [shown]);
  t.strictSame(await call('summaries.day', { user_id, date: '2026-03-01' }), shown);
  const own = await list({ provider: 'withings' });
  t.strictSame(own.data, [{ ...shown, records: shown.records.slice(2) }]);
  t.strictSame(await call('summaries.day', { user_id, date: '2026-03-02' }), {
    date: '2026-03-02',
    records: [],
  });
});

t.test('values of a day make no activity summary, and change none', async (t) => {
  const { user_id, store } = await wearer();
  await store([
    item({ day: day('2026-03-01', { steps: 5 }) }),
    item({ data_type: 'hrv', day_values: dayValues('2026-03-01', { values: { pushes: 9 } }) }),
    item({ data_type: 'hrv', day_values: dayValues('2026-03-02') }),
  ]);
  const { data } = await call('summaries.activity', { user_id, ...range });
  t.match(data, [{ date: '2026-03-01', steps: 5 }]);
  t.equal(data.length, 1);
});

t.test('a newer version replaces the values, also with none; a shorter one does not count', async (t) => {
  const { store, list } = await wearer();
  const version = (seconds: number, day_values: ReturnType<typeof dayValues> | null) =>
    store([item({ key: 'k', duration_seconds: seconds, day_values, samples: [block('steps', [[0, 1]])] })]);
  const of = (steps_goal: number) => dayValues('2026-03-01', { values: { steps_goal } });
  const goals = async () => (await list()).data.map(({ records }) => records[0]?.values.steps_goal);
  await version(60, of(1));
  await version(120, of(2));
  await version(90, of(3));
  t.same(await goals(), [2]);
  await store([
    item({ key: 'k', duration_seconds: 200 }),
    item({ key: 'k', duration_seconds: 300, day_values: of(4) }),
  ]);
  t.same(await goals(), [4], 'two versions in one call');
  await version(400, null);
  t.same(await goals(), []);
});

t.test('a day without a date belongs to the clock of its user', async (t) => {
  const { store, list } = await wearer();
  const late = { date: null, start_ms: Date.parse('2026-03-01T23:30:00Z') };
  await store([item({ day_values: dayValues('2026-03-01', { ...late, zone_offset_minutes: 60 }) })]);
  await store([item({ samples: [block('steps', [[late.start_ms, 1]], { zone_offset_minutes: -60 })] })]);
  await store([item({ day_values: dayValues('2026-03-01', { ...late, zone_offset_minutes: null }) })]);
  t.same(
    (await list()).data.map(({ date, records }) => [date, records[0]?.zone_offset]),
    [
      ['2026-03-01', null],
      ['2026-03-02', '+01:00'],
    ],
  );
});

t.test('pages in both directions, and with fewer days if they are large', async (t) => {
  const { store, list } = await wearer();
  const large = { text: 'x'.repeat(3900) };
  const dates = Array.from({ length: 8 }, (_, n) => `2026-03-0${n + 1}`);
  for (const date of dates) {
    const records = Array.from({ length: date > '2026-03-04' ? 40 : 1 }, () =>
      item({ day_values: dayValues(date, { extra: large }) }),
    );
    await store(records);
  }
  const pages: string[][] = [];
  for (let cursor: string | undefined; pages.length < 9; ) {
    const page = await list({ limit: 3, cursor, sort_order: 'desc' });
    t.equal(page.pagination.total_count, 8);
    pages.push(page.data.map(({ date }) => date));
    cursor = page.pagination.next_cursor ?? undefined;
    if (cursor === undefined) break;
  }
  t.ok(pages[0] !== undefined && pages[0].length < 3);
  t.same(pages.flat(), dates.toReversed());
  const last = await list({ limit: 4 });
  const next = await list({ limit: 4, cursor: last.pagination.next_cursor ?? '' });
  const back = await list({ limit: 4, cursor: next.pagination.previous_cursor ?? '' });
  t.strictSame(back.data, last.data);
  const { list: listOther } = await wearer();
  const cursor = last.pagination.next_cursor ?? '';
  await t.rejects(listOther({ limit: 4, cursor }), refusal('CURSOR_INVALID'), 'a cursor of another user');
});

t.test('a purge and an erasure delete them, an export has them', async (t) => {
  const { user_id, store, list } = await wearer();
  await store([item({ day_values: dayValues('2026-03-01') })]);
  await store([item({ day_values: dayValues('2026-03-02', { extra: { a: 1 } }) })], 'withings');
  const exported = () =>
    call('timeseries.exportRecords', { user_id, kind: 'day_values', after: null, limit: 10 });
  t.match((await exported()).records, [
    { provider: 'garmin', date: '2026-03-01', vals: { average_stress_level: 31 }, start_time: /Z$/ },
    { provider: 'withings', extra: { a: 1 } },
  ]);
  await call('timeseries.purge', { user_id, provider: 'devicemaker', version: 1 });
  t.same(
    (await list()).data.map(({ date }) => date),
    ['2026-03-02'],
  );
  await call('timeseries.erase', { user_id });
  t.same(await database.query('select from timeseries.day_value where user_id = $1', [user_id]), []);
});

t.test('a span that is read again loses the days that are no longer sent', async (t) => {
  const { user_id, store, list } = await wearer();
  const days = ['2026-03-01', '2026-03-02', '2026-03-03'];
  await store(
    days.map((date) => item({ data_type: 'days', key: date, hash: date, day_values: dayValues(date) })),
    'withings',
  );
  await call('timeseries.replace', {
    ...{ user_id, provider: 'withings' },
    items: [item({ data_type: 'days', key: '2026-03-02', hash: '2026-03-02', day_values: null })],
    replaces: {
      ...{ data_type: 'days', series: [], records: ['days'] },
      ...{ start_ms: Date.parse('2026-03-01'), end_ms: Date.parse('2026-03-03') },
    },
  });
  t.same(
    (await list()).data.map(({ date }) => date),
    days.slice(1),
  );
});

t.test('a data type that is read again keeps the days of another', async (t) => {
  const { user_id, store, list } = await wearer();
  const date = '2026-03-01';
  await store([
    item({ data_type: 'dailies', key: 'd', day: day(date), day_values: dayValues(date) }),
    item({ data_type: 'stressDetails', key: 's', day_values: dayValues(date) }),
  ]);
  const totals = () => database.query('select from timeseries.provider_day where user_id = $1', [user_id]);
  const reread = async (data_type: string) => {
    const span = { start_ms: Date.parse(date), end_ms: Date.parse('2026-03-02') };
    const replaces = { data_type, series: [], records: ['days' as const], ...span };
    await call('timeseries.replace', { user_id, provider: 'devicemaker', items: [], replaces });
  };
  await reread('stressDetails');
  t.equal((await totals()).length, 1);
  t.match((await list()).data, [{ records: [{ data_type: 'dailies' }] }]);
  await reread('dailies');
  t.equal((await totals()).length, 0);
});

t.test('an unknown user is 404, an empty range 422', async (t) => {
  const user_id = randomUUID();
  await t.rejects(call('summaries.days', { user_id, ...range }), refusal('USER_NOT_FOUND'));
  await t.rejects(call('summaries.day', { user_id, date: '2026-03-01' }), refusal('USER_NOT_FOUND'));
  const { list } = await wearer();
  await t.rejects(list({ end_date: '2026-02-01' }), refusal('RANGE_INVALID'));
});
