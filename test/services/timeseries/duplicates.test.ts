import t from 'tap';
import type { WorkoutRecord } from '../../../domain/records/records.ts';
import { minuteMs } from '../../../domain/time/time.ts';
import type { DuplicateCandidate } from '../../../services/timeseries/tables/workouts.ts';
import { byFullness, listedDuplicates } from '../../../services/timeseries/work/duplicates.ts';
import { activity, at, workout } from './items.ts';
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

t.test('two workouts of one provider are never duplicates', async (t) => {
  const setting = await anotherUser(shared);
  await setting.store([activity(named('one', '07:00:00', 30)), activity(named('two', '07:00:00', 30))]);
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
    device: 'unknown',
    type: 'cycling',
    local_date: '2026-03-01',
    start_ms: from * minuteMs,
    end_ms: to * minuteMs,
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
