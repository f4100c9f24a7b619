import t from 'tap';
import type { WorkoutRecord } from '../../../domain/records/records.ts';
import { minuteMs } from '../../../domain/time/time.ts';
import type { DuplicateCandidate } from '../../../services/timeseries/tables/workouts.ts';
import { byFullness, listedDuplicates } from '../../../services/timeseries/work/duplicates.ts';
import { activity, at, block, item, workout } from './items.ts';
import { anotherUser, type Setting, setUp } from './setting.ts';

const shared = await setUp(t);

const full = { calories_kcal: 300, distance_meters: 5000, avg_heart_rate_bpm: 150 };

async function listed({ call, userId }: Setting): Promise<string[]> {
  const query = { user_id: userId, start_date: '2026-03-01', end_date: '2026-03-02' };
  const page = await call('timeseries.workouts', query);
  t.equal(page.pagination.total_count, page.data.length);
  return page.data.map(({ name }) => name).sort();
}

const named = (name: string, start: string, minutes: number, fields: Partial<WorkoutRecord> = {}) =>
  workout(at(start), minutes, { name, ...fields });

t.test('of duplicate workouts the one with more values is listed, in any order', async (t) => {
  for (const first of ['devicemaker', 'activitynet'] as const) {
    const setting = await anotherUser(shared);
    const bare = activity(named('bare', '07:00:00', 30));
    const rich = activity(named('rich', '07:02:00', 30, full));
    const second = first === 'devicemaker' ? 'activitynet' : 'devicemaker';
    const [one] = await setting.store([first === 'devicemaker' ? bare : rich], first);
    const [two] = await setting.store([first === 'devicemaker' ? rich : bare], second);
    t.strictSame(await listed(setting), ['rich'], `${first} first`);
    const duplicate = (first === 'devicemaker' ? one : two)?.record_ids[0] ?? '';
    const shown = await setting.call('timeseries.workout', { user_id: setting.userId, event_id: duplicate });
    t.equal(shown.name, 'bare', 'the other is still there by its id');
  }
});

t.test('of equal duplicates that of the source with higher priority is listed', async (t) => {
  for (const [priority, winner] of [
    ['devicemaker,activitynet', 'd'],
    ['activitynet,devicemaker', 'a'],
  ] as const) {
    const setting = await setUp(t, { SOURCE_PRIORITY: priority });
    await setting.store([activity(named('a', '07:00:00', 30))], 'activitynet');
    await setting.store([activity(named('d', '07:00:00', 30))], 'devicemaker');
    t.strictSame(await listed(setting), [winner], priority);
  }
});

t.test('the same activity from an archive is a duplicate, whatever the sport is called there', async (t) => {
  const setting = await anotherUser(shared);
  const of = (key: string, name: string, type: WorkoutRecord['type']) =>
    activity(named(name, '07:00:00', 30, { type, ...(name === 'live' ? full : {}) }), { key });
  await setting.store([of('1234', 'live', 'running')], 'activitynet');
  await setting.store([of('1234', 'of the archive', 'other'), of('1235', 'another', 'yoga')]);
  t.strictSame(await listed(setting), ['another', 'live']);
});

t.test('the listed duplicate changes with its values; duplicates are separated when one moves', async (t) => {
  const setting = await anotherUser(shared);
  const version = (hash: string, record: WorkoutRecord) => activity(record, { key: 'moving', hash });
  await setting.store([activity(named('d', '07:00:00', 30, { calories_kcal: 1 }))]);
  await setting.store([version('1', named('a', '07:00:00', 30))], 'activitynet');
  t.strictSame(await listed(setting), ['d']);
  await setting.store([version('2', named('a', '07:00:00', 30, full))], 'activitynet');
  t.strictSame(await listed(setting), ['a']);
  await setting.store([version('3', named('a', '17:00:00', 30, full))], 'activitynet');
  t.strictSame(await listed(setting), ['a', 'd']);
});

t.test('distinguishes one workout from two', async (t) => {
  const cases: [string, Partial<WorkoutRecord>, string, number, boolean][] = [
    ['half of the shorter', {}, '07:15:00', 30, true],
    ['less than half of the shorter', {}, '07:15:01', 30, false],
    ['a short one within', {}, '07:10:00', 5, true],
    ['one after the other', {}, '07:30:00', 30, false],
    ['another family', { type: 'cycling' }, '07:00:00', 30, false],
    ['other goes with any', { type: 'other' }, '07:00:00', 30, true],
    ['a multisport set', { is_parent: true }, '07:00:00', 30, false],
  ];
  for (const [title, fields, start, minutes, isSame] of cases) {
    const setting = await anotherUser(shared);
    await setting.store([activity(named('d', '07:00:00', 30, full))]);
    await setting.store([activity(named('a', start, minutes, fields))], 'activitynet');
    const both = fields.is_parent ? ['d'] : ['a', 'd'];
    t.strictSame(await listed(setting), isSame ? ['d'] : both, title);
  }
});

t.test('two workouts of one device that begin at different times are no duplicates', async (t) => {
  const setting = await anotherUser(shared);
  await setting.store([activity(named('one', '07:00:00', 30)), activity(named('two', '07:00:01', 30))]);
  t.strictSame(await listed(setting), ['one', 'two']);
});

t.test('a ride is listed as a whole or in all of its parts', (t) => {
  const ride = (
    id: string,
    provider: string,
    from: number,
    to: number,
    filled: number,
  ): DuplicateCandidate => ({
    id,
    provider,
    key: id,
    device: 'unknown',
    type: 'cycling',
    local_date: '2026-03-01',
    start_ms: from * minuteMs,
    end_ms: to * minuteMs,
    manual: null,
    filled,
    ...{ duplicate_of: null, counted_with: null, counted_on: null },
  });
  const parts = [ride('b', 'activitynet', 0, 60, 3), ride('c', 'activitynet', 60, 120, 1)];
  const priority = ['devicemaker', 'activitynet'];
  const duplicates = (filled: number) =>
    [...listedDuplicates(byFullness([ride('a', 'devicemaker', 0, 120, filled), ...parts], priority))].sort();
  t.strictSame(duplicates(5), [
    ['a', null],
    ['b', 'a'],
    ['c', 'a'],
  ]);
  t.strictSame(duplicates(2), [
    ['a', 'b'],
    ['b', null],
    ['c', null],
  ]);
  t.end();
});

const { call, userId: user_id, database } = await anotherUser(shared);
const start = at('08:00:00');
const provider = 'polar';
const normaliser_version = 1;
const beats = (device: string) =>
  block(
    'heart_rate',
    [
      [start, 100],
      [start + 30 * minuteMs, 110],
    ],
    { device },
  );
const replaces = {
  ...{ data_type: 'activities', series: [], records: ['workouts' as const] },
  ...{ start_ms: at('00:00:00'), end_ms: at('23:00:00') },
};

async function stored(): Promise<string[]> {
  const rows = await database.query<{ line: string }>(
    `select s.device || ' ' || count(*) as line from timeseries.sample x
     join timeseries.series s on s.id = x.series_id where s.user_id = $1 group by s.device order by 1`,
    [user_id],
  );
  return rows.map(({ line }) => line);
}

t.test('the samples of a workout go with it when its span is read again, and no others', async (t) => {
  const run = activity(workout(start, 60, { device: 'Watch' }), { samples: [beats('Watch')] });
  const continuous = item({ data_type: 'heart_rate', samples: [beats('Band')] });
  const given = { user_id, provider, normaliser_version } as const;
  await call('timeseries.store', { ...given, items: [continuous] });
  await call('timeseries.replace', { ...given, items: [run], replaces });
  t.same(await stored(), ['Band 2', 'Watch 2']);
  await call('timeseries.replace', { ...given, items: [], replaces });
  t.same(await stored(), ['Band 2']);
  const blocks = await database.query('select from timeseries.activity_block where user_id = $1', [user_id]);
  t.equal(blocks.length, 0);
  await call('timeseries.replace', { ...given, items: [run], replaces });
  t.same(await stored(), ['Band 2', 'Watch 2'], 'it is stored anew when it is listed again');
});

t.test('a workout that starts at the end of the span belongs to the next one', async (t) => {
  const given = { user_id, provider, normaliser_version } as const;
  const endMs = replaces.end_ms + 30 * minuteMs;
  const listed = { user_id, provider, start_ms: replaces.end_ms, end_ms: endMs, limit: 10 } as const;
  await call('timeseries.store', { ...given, items: [activity(workout(replaces.end_ms, 10))] });
  await call('timeseries.replace', { ...given, items: [], replaces });
  t.match(await call('timeseries.workoutKeys', listed), [{ start_ms: replaces.end_ms }]);
  const next = { ...replaces, start_ms: replaces.end_ms, end_ms: endMs };
  await call('timeseries.replace', { ...given, items: [], replaces: next });
  t.same(await call('timeseries.workoutKeys', listed), []);
});
