import t from 'tap';
import type { RetentionChange, RetentionRule } from '../../../contracts/timeseries/retention.ts';
import { StoreItem } from '../../../domain/records/records.ts';
import { dayMs, hourMs, minuteMs } from '../../../domain/time/time.ts';
import type { Database } from '../../../mixins/database/database.ts';
import { countExpired } from '../../../services/timeseries/actions/retention.ts';
import { upsertRule } from '../../../services/timeseries/tables/retention.ts';
import { retainProjectPart } from '../../../services/timeseries/work/retention.ts';
import { callerOf } from '../../support/callers.ts';
import { refusal } from '../../support/refusal.ts';
import { phone, steps, watch } from './interval-items.ts';
import { activity, block, epoch, item, other, workout } from './items.ts';
import { seeded } from './model.ts';
import { anotherUser, type Setting, setUp, withUser } from './setting.ts';
import { wrongStatistics } from './statistics.ts';

/** With 30 days, data from 2026-03-01 on is kept. */
const nowMs = Date.parse('2026-03-31T18:00:00Z');
const borderMs = Date.parse('2026-03-01');
const order = { providers: ['devicemaker', 'activitynet'], deviceTypes: ['watch', 'phone'] };
const small = { users: 2, rows: 60 };
const logger = { info: () => undefined, warn: () => undefined } as never;

const as = (project_id: string) => ({ meta: { caller: callerOf('developer', { project_id }) } });

/** A service without the recurring pass, which works by the time of today. */
async function quiet(settings: Readonly<Record<string, string>> = {}): Promise<Setting> {
  const setting = await setUp(t, settings);
  await setting.database.query("delete from jobs.job where kind = 'timeseries.retention'");
  return setting;
}

const shared = await quiet();
const limited = await quiet({ SAMPLE_RETENTION_DAYS: '60' });

/** Stores of the service keep everything again. */
async function forgetRules({ database, call }: Setting): Promise<void> {
  const rows = await database.query<{ project_id: string }>(
    'select project_id from timeseries.retention_rule',
  );
  for (const { project_id } of rows) await call('timeseries.forgetProject', { project_id });
}

/** A user of `default`, and no rules. */
async function another(): Promise<Setting> {
  await forgetRules(shared);
  return anotherUser(shared);
}

async function userIn({ database, call }: Setting, project: string): Promise<Setting> {
  const { id } = await call('users.create', {}, as(project));
  return withUser(database, call, id);
}

const rule = ({ samples_days = null, events_days = null }: RetentionChange): RetentionRule => ({
  samples_days,
  events_days,
});

/** Runs the pass of all projects. Returns the number of parts. */
async function pass({ database, call }: Setting, days = 0, size = small): Promise<number> {
  const deps = { database, call, days, order, logger };
  for (let parts = 1; ; parts += 1) if (!(await retainProjectPart(deps, nowMs, size))) return parts;
}

/** Data of 44 hours around a border: samples of two clocks, intervals of three sources, some across midnight, events. */
async function storeAround(user: Setting, aroundMs: number, seed: number): Promise<void> {
  const random = seeded(seed);
  const times = (everyMinutes: number) =>
    Array.from({ length: Math.floor((44 * 60) / everyMinutes) }, (_, index) => {
      return aroundMs - 22 * hourMs + index * everyMinutes * minuteMs;
    });
  const samples = ([0, 345, -480] as const).flatMap((zone_offset_minutes, index) =>
    (['heart_rate', 'weight', 'respiratory_rate'] as const).map((type) =>
      block(
        type,
        times(23 + index).map((ms) => [ms, 20 + random() * 50]),
        { zone_offset_minutes, device: `Watch ${index}` },
      ),
    ),
  );
  const events = times(307).map((ms) => item({ data_type: 'moveiq', other: other(ms) }));
  const cycle = item({ data_type: 'mct', other: other(aroundMs - dayMs, { type: 'mct' }) });
  await user.store([item({ samples }), ...events, cycle]);
  const intervals = [watch, phone].flatMap((_, source) =>
    times(41).map((ms) =>
      steps(ms, 90, 5 + source, { source, zone_offset_minutes: source === 0 ? 600 : -300 }),
    ),
  );
  await user.storeIntervals([watch, phone], intervals);
}

const everything = `
  select type_id::text as type, s.user_id, count(*)::int as n from timeseries.sample x
  join timeseries.series s on s.id = x.series_id group by 1, 2
  union all
  select type_id::text, s.user_id, count(*)::int from timeseries.interval_value x
  join timeseries.series s on s.id = x.series_id group by 1, 2
  union all
  select type, user_id, count(*)::int from timeseries.other_record group by 1, 2`;

interface Stored {
  type: string;
  user_id: string;
  n: number;
}

/** The rows of each type and user, by both. */
async function storedRows(database: Database): Promise<Map<string, Stored>> {
  const found = new Map<string, Stored>();
  for (const { type, user_id, n } of await database.query<Stored>(everything)) {
    const key = `${type} ${user_id}`;
    found.set(key, { type, user_id, n: n + (found.get(key)?.n ?? 0) });
  }
  return found;
}

/** How many samples, with intervals, and events are gone between two counts. */
function gone(before: ReadonlyMap<string, Stored>, after: ReadonlyMap<string, Stored>) {
  const counts = { samples: 0, events: 0 };
  for (const [key, { type, n }] of before)
    counts[/^\d+$/.test(type) ? 'samples' : 'events'] += n - (after.get(key)?.n ?? 0);
  return counts;
}

const rules: readonly (readonly [string, RetentionChange, number])[] = [
  ['samples only', { samples_days: 30 }, 0],
  ['events only', { events_days: 30 }, 0],
  ['samples, and events for longer', { samples_days: 30, events_days: 60 }, 0],
  ['events, and samples for longer', { samples_days: 60, events_days: 30 }, 0],
  ['the installation is stricter', { samples_days: 60, events_days: 30 }, 30],
  ['everything', { samples_days: 1, events_days: 1 }, 0],
];

t.test('a preview has the numbers of the pass, which leaves other projects alone', async (t) => {
  const setting = await another();
  const { database, call } = setting;
  const mine = [await userIn(setting, 'a'), await userIn(setting, 'a'), await userIn(setting, 'a')];
  const others = [setting, await userIn(setting, 'b')];
  for (const [name, change, days] of rules) {
    await forgetRules(setting);
    for (const [seed, user] of [...mine, ...others].entries()) {
      await storeAround(user, borderMs, seed);
      if (seed !== 1) await storeAround(user, borderMs - 30 * dayMs, seed);
    }
    const given = rule(change);
    const before = await storedRows(database);
    const counting = { database, call, installationDays: days };
    const preview = await countExpired(counting, 'a', given, nowMs);
    t.strictSame(await storedRows(database), before, `${name}: a preview deletes nothing`);
    await upsertRule(database, 'a', given);
    const parts = await pass(setting, days);
    const after = await storedRows(database);
    t.ok(preview.samples + preview.events > 0, name);
    t.strictSame(gone(before, after), preview, name);
    t.ok(parts > mine.length / 2, `${name}: in parts`);
    const ids = new Set(others.map(({ userId }) => userId));
    const ofOthers = (rows: ReadonlyMap<string, Stored>) =>
      [...rows].filter(([, { user_id }]) => ids.has(user_id)).sort(([a], [b]) => (a < b ? -1 : 1));
    t.strictSame(ofOthers(after), ofOthers(before), `${name}: nothing of another project`);
    t.strictSame(await wrongStatistics(database), [], name);
    const left = await countExpired(counting, 'a', given, nowMs);
    t.strictSame(left, { samples: 0, events: 0 }, `${name}: nothing is left to delete`);
  }
});

t.test('two projects with rules keep what each of them says', async (t) => {
  const setting = await another();
  const { database } = setting;
  const a = await userIn(setting, 'one');
  const b = await userIn(setting, 'two');
  for (const user of [a, b]) await storeAround(user, borderMs, 7);
  await upsertRule(database, 'one', rule({ samples_days: 30 }));
  await upsertRule(database, 'two', rule({ events_days: 30 }));
  const before = await storedRows(database);
  await pass(setting);
  const after = await storedRows(database);
  const lost = [...before].filter(([key, { n }]) => (after.get(key)?.n ?? 0) < n).map(([, row]) => row);
  const samples = lost.filter(({ type }) => /^\d+$/.test(type));
  t.ok(samples.length > 0 && lost.length > samples.length);
  t.ok(samples.every(({ user_id }) => user_id === a.userId));
  t.ok(lost.every((row) => row.user_id === (samples.includes(row) ? a.userId : b.userId)));
});

t.test('values of slots, blocks and tracks go with the samples of the project', async (t) => {
  const setting = await another();
  const { database } = setting;
  const mine = await userIn(setting, 'a');
  const oldMs = borderMs - 5 * dayMs;
  const columns = { heart_rate: [90, 91], speed: [3, 3.1] };
  for (const user of [mine, setting]) {
    await user.store([
      activity(workout(oldMs, 30), {
        samples: [block('speed', [[oldMs, 3]]), block('cadence', [[oldMs, 80]])],
      }),
      item({ data_type: 'epochs', epoch: epoch(oldMs) }),
      item({ data_type: 'epochs', epoch: epoch(oldMs, { activity_type: 'RUNNING' }) }),
      item({ data_type: 'epochs', epoch: epoch(borderMs + dayMs) }),
    ]);
    await database.query(
      `insert into timeseries.workout_track
         (workout_id, user_id, data_type, hash, chunk, start_time, end_time, points, located, times, heart_rate, speed)
       select id, user_id, 'activityDetails', 'h', 0, start_time, end_time, 2, 0, '\\x00', $2::bytea, $3::bytea
       from timeseries.workout where user_id = $1`,
      [user.userId, ...Object.values(columns).map((values) => Buffer.from(values))],
    );
  }
  await upsertRule(database, 'a', rule({ samples_days: 30 }));
  await pass(setting);
  const slots = `select start_time < $2 as is_old, vals, superseded -> 'vals' as superseded from timeseries.epoch_part
    where user_id = $1 order by start_time, activity_type`;
  const border = new Date(borderMs);
  t.strictSame(await database.query(slots, [mine.userId, border]), [
    { is_old: true, vals: {}, superseded: null },
    { is_old: true, vals: {}, superseded: null },
    { is_old: false, vals: { steps: 100, average_met: 3 }, superseded: null },
  ]);
  t.match(await database.query(slots, [setting.userId, border]), [
    { vals: { steps: 100, average_met: 3 } },
    { superseded: { steps: 100, average_met: 3 } },
    {},
  ]);
  const blocks = `select y.name from timeseries.activity_block b join timeseries.series s on s.id = b.series_id
    join timeseries.series_type y on y.id = s.type_id where b.user_id = $1 order by 1`;
  t.strictSame(await database.query(blocks, [mine.userId]), []);
  t.equal((await database.query(blocks, [setting.userId])).length, 2);
  const tracks = 'select from timeseries.workout_track where user_id = $1';
  t.strictSame(await database.query(tracks, [mine.userId]), []);
  t.equal((await database.query(tracks, [setting.userId])).length, 1);
});

t.test('goes on where a process died, and starts again under another rule', async (t) => {
  const setting = await another();
  const { database, call } = setting;
  const users = [await userIn(setting, 'a'), await userIn(setting, 'a'), await userIn(setting, 'a')];
  for (const user of users) await storeAround(user, borderMs, 3);
  await upsertRule(database, 'a', rule({ samples_days: 30 }));
  const deps = { database, call, days: 0, order, logger };
  for (let part = 0; part < 5; part += 1) t.ok(await retainProjectPart(deps, nowMs, small));
  const held = await database.transaction(async (transaction) => {
    await transaction.query('select from timeseries.retention for update');
    return retainProjectPart(deps, nowMs, small);
  });
  t.equal(held, false, 'another process works');
  const [whole] = await database.query<{ n: number }>('select count(*)::int as n from timeseries.sample');
  const parts = await pass(setting);
  t.ok(parts > 5);
  t.ok((whole?.n ?? 0) > 0);
  t.equal(await pass(setting), 1, 'the pass of the day is done');
  await upsertRule(database, 'a', rule({ samples_days: 29 }));
  t.ok((await pass(setting)) > 1, 'another rule is another pass');
  const localDate = "((ts at time zone 'UTC') + make_interval(mins => zone_offset_minutes))::date";
  const old = await database.query(
    `select from timeseries.sample x join timeseries.series s on s.id = x.series_id
     join users.person p on p.id = s.user_id and p.project_id = 'a' where ${localDate} < '2026-03-02'`,
  );
  t.strictSame(old, []);
  t.strictSame(await wrongStatistics(database), []);
});

t.test('a rule that changes between two reads of a pass is the one that holds', async (t) => {
  const setting = await another();
  const { database } = setting;
  const user = await userIn(setting, 'a');
  await storeAround(user, borderMs, 5);
  await upsertRule(database, 'a', rule({ samples_days: 30 }));
  const before = await storedRows(database);
  let isChanged = false;
  const call: Setting['call'] = async (name, params, options) => {
    const answer = await setting.call(name, params, options);
    if (!isChanged) await upsertRule(database, 'a', rule({ samples_days: 400 }));
    isChanged = true;
    return answer;
  };
  await pass({ ...setting, call });
  t.strictSame(await storedRows(database), before);
});

t.test('a store leaves out what a rule would not keep', async (t) => {
  const setting = limited;
  const { database, call } = setting;
  const mine = await userIn(setting, 'a');
  const now = Math.floor(Date.now() / minuteMs) * minuteMs;
  const types = ['heart_rate', 'weight'] as const;
  const bring = (user: Setting) =>
    user.store([
      item({
        samples: types.map((type) =>
          block(
            type,
            [70, 40, 10].map((days) => [now - days * dayMs, 60]),
          ),
        ),
      }),
      item({ data_type: 'moveiq', other: other(now - 40 * dayMs) }),
      item({ data_type: 'moveiq', other: other(now - 10 * dayMs) }),
    ]);
  const change = { samples_days: 30, events_days: 20 };
  await call('timeseries.changeRetention', change, as('a'));
  for (const user of [mine, setting]) {
    await bring(user);
    await user.storeIntervals(
      [watch],
      [70, 40, 10].map((days) => steps(now - days * dayMs, 5, 9)),
    );
  }
  const count = async ({ userId }: Setting) =>
    [...(await storedRows(database)).values()]
      .filter(({ user_id }) => user_id === userId)
      .map(({ type, n }) => `${type}: ${n}`)
      .toSorted();
  t.strictSame(await count(mine), ['1: 1', '20: 1', '31: 1', 'moveiq: 1']);
  t.strictSame(await count(setting), ['1: 2', '20: 2', '31: 2', 'moveiq: 2']);
  await call('timeseries.changeRetention', { events_days: null }, as('a'));
  const moved = StoreItem.parse(item({ data_type: 'moveiq', other: other(now - 40 * dayMs) }));
  await mine.store([moved]);
  t.strictSame(await count(mine), ['1: 1', '20: 1', '31: 1', 'moveiq: 2'], 'events are kept again');
  await call('timeseries.changeRetention', { events_days: 20 }, as('a'));
  await mine.store([{ ...moved, hash: 'another' }]);
  t.strictSame(await count(mine), ['1: 1', '20: 1', '31: 1', 'moveiq: 1'], 'a new version replaces nothing');
});

t.test('the rule of a project is read, changed, previewed and audited', async (t) => {
  const { database, call } = limited;
  const none = { samples_days: null, events_days: null, installation_days: 60 };
  t.strictSame(await call('timeseries.retention', {}, as('c')), { ...none, updated_at: null });
  const first = { samples_days: 730 };
  const changed = await call('timeseries.changeRetention', first, as('c'));
  t.match(changed, { ...none, ...first });
  t.type(changed.updated_at, 'string');
  t.match(await call('timeseries.changeRetention', { events_days: 365 }, as('c')), {
    ...first,
    events_days: 365,
  });
  t.strictSame(
    await call('timeseries.retention', {}, as('d')),
    { ...none, updated_at: null },
    'another project',
  );
  const clear = { samples_days: null, events_days: null };
  t.strictSame(await call('timeseries.changeRetention', clear, as('c')), { ...none, updated_at: null });
  const audited = await database.query(
    "select project_id, subject_id, details from auth.audit_entry where action = 'retention.updated' and project_id = 'c' order by id",
  );
  const own = { project_id: 'c', subject_id: null };
  const nothing = ['samples: all', 'events: all'];
  const kept = ['samples: 730'];
  t.strictSame(audited, [
    { ...own, details: { before: nothing, after: [...kept, 'events: all'] } },
    { ...own, details: { before: [...kept, 'events: all'], after: [...kept, 'events: 365'] } },
    { ...own, details: { before: [...kept, 'events: 365'], after: nothing } },
  ]);
});

const wrong: readonly (readonly [string, Record<string, unknown>, string, string])[] = [
  ['negative days', { events_days: -1 }, 'events_days', 'must be at least 1'],
  ['no days', { samples_days: 0 }, 'samples_days', 'must be at least 1'],
  ['half a day', { events_days: 1.5 }, 'events_days', 'must be a whole number'],
  ['too many days', { events_days: 100_000 }, 'events_days', 'must be at most 36500'],
];

t.test('a wrong rule is refused with one sentence', async (t) => {
  const { call } = shared;
  for (const [name, change, field, message] of wrong)
    for (const action of ['timeseries.changeRetention', 'timeseries.previewRetention'] as const)
      await t.rejects(
        call(action, change, as('a')),
        { ...refusal('VALIDATION_FAILED'), data: { errors: [{ field, message }] } },
        name,
      );
});

t.test('two changes at once of a project without a rule are both kept', async (t) => {
  const { call } = shared;
  const projects = Array.from({ length: 20 }, (_, n) => `project-${n}`);
  for (const project of projects) {
    await Promise.all([
      call('timeseries.changeRetention', { samples_days: 90 }, as(project)),
      call('timeseries.changeRetention', { events_days: 365 }, as(project)),
    ]);
    const both = { samples_days: 90, events_days: 365 };
    t.match(await call('timeseries.retention', {}, as(project)), both);
  }
});
