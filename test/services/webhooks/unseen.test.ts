import t from 'tap';
import type { DayValues } from '../../../domain/records/day-values.ts';
import { hourMs } from '../../../domain/time/time.ts';
import { dayValues, epoch, item, night, score, sleep, workout } from '../timeseries/items.ts';
import { ofType, startWebhooks, typesOf } from './setting.ts';

const s = await startWebhooks(t);

/** Columns of recorded rows whose change records nothing, by the function of the trigger and the reason. */
const silentColumns: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  of_backfill: {
    'set by the insert only': ['connected_at', 'created_at', 'lane', 'provider', 'purpose'],
    'of reconciliations, which are no backfill': ['again_from', 'nightly_on'],
    'progress and the reason of the end': [
      ...[
        'asking',
        'attempt',
        'failures',
        'finished_at',
        'found',
        'leased',
        'listed',
        'pages',
        'reason',
        'run_at',
      ],
    ],
  },
  of_backfill_type: {
    'the last request of a type is recorded, not each': [
      ...['attempts', 'deadline', 'end_time', 'items', 'position', 'reason', 'received_at', 'requested_at'],
      ...['saved', 'start_time'],
    ],
  },
  of_sync_type: {
    'the end of a type is recorded, not its progress': [
      ...['ends', 'expected', 'failed', 'sent', 'shares', 'started_at'],
    ],
  },
  of_pulled_backfill: {
    'set by the insert only': ['created_at'],
    'the reason of the end': ['finished_at', 'reason'],
  },
  of_pulled_backfill_type: {
    'the end of a type is recorded, not each part': [
      ...['items', 'parts', 'parts_done', 'reason', 'received_at', 'requested_at', 'saved', 'skipped'],
    ],
  },
  of_connection: {
    'that of the user, which never changes': ['project_id'],
    'with another client or region it is connected anew': ['provider_client_id', 'region'],
    'compared by a repeated move': ['moved_hash', 'moved_version'],
    'not a state of the connection': [
      ...[
        'created_at',
        'last_synced_at',
        'privacy',
        'privacy_changed_at',
        'provider_user_id',
        'purge',
        'scope',
      ],
      ...['scope_changed_at', 'updated_at'],
    ],
    'tokens are never reported': [
      ...[
        'access_token',
        'expires_at',
        'previous_refresh_token',
        'refresh_failing_since',
        'refresh_leased_until',
        'refresh_token',
        'token_version',
      ],
    ],
  },
  of_freshness: {
    'never changes': ['project_id', 'user_id', 'provider'],
    'the state of the access, which service users records': ['connected_at', 'ended_at'],
    'the first kind that is missing is recorded, not each': ['stale_kinds'],
    'not shown': ['gaps_at', 'late_at'],
  },
  of_insight: {
    'compared by results_of': ['baseline_28', 'baseline_60', 'scores', 'training'],
    'not shown; the results follow': ['due_id', 'facts'],
  },
  of_day_scores: {
    'not shown': ['key', 'normaliser_version', 'placed_by'],
    'shown by the day, which another trigger records': ['data_type', 'extra'],
  },
  of_score: { 'not shown': ['data_type', 'key', 'normaliser_version', 'placed_by'] },
  of_sleep_score: {
    'not shown': ['key', 'normaliser_version', 'placed_by', 'rank'],
    'shown by the session, which another trigger records': [
      ...['asleep_seconds', 'awake_seconds', 'deep_seconds', 'interruptions', 'is_nap', 'light_seconds'],
      ...['rem_seconds', 'stage_intervals', 'unmeasurable_seconds'],
    ],
  },
  of_sleep: { 'not shown': ['key', 'normaliser_version', 'placed_by', 'rank'] },
  of_user: {
    'never changes': ['project_id'],
    'made of recorded columns': ['email_key', 'first_name_key', 'last_name_key', 'search_text'],
    'not changed by a caller': ['created_at', 'erased_at'],
  },
  of_workout: {
    'shown by summaries, which another trigger records': [
      ...['counted_on', 'counted_with', 'local_date', 'moving_seconds', 'steps'],
    ],
    'not shown': [
      ...['cropped', 'key', 'manual', 'normaliser_version', 'placed_by', 'parent_id', 'parts', 'raw_type'],
      'web_upload',
    ],
  },
};

/** Tables of `timeseries` of which no change is recorded, by the reason. */
const unrecorded: Readonly<Record<string, readonly string[]>> = {
  'settings and types': ['retention', 'retention_rule', 'route_privacy', 'series_type', 'source_priority'],
  'versions and fences': ['item', 'purge', 'tombstone'],
  'follows from samples and intervals, which are recorded': [
    'activity_block',
    'deleted_interval',
    'deleted_sample',
    'interval_series',
    'interval_set',
    'interval_source',
    'night_mean',
    'other_instants',
    'sample_day',
    'sample_hour',
  ],
  'points of a workout; its completed track is recorded': ['workout_track'],
  'dates of records only, whose moves are recorded': ['clock_day', 'placed_span'],
  'no event type: records that are neither workouts nor sleep': ['other_record'],
};

interface Trigger {
  readonly table: string;
  readonly function: string;
  readonly source: string;
  readonly is_row: boolean;
  readonly columns: readonly string[];
}

const triggers = () =>
  s.database.query<Trigger>(`
    select g.tgrelid::regclass::text as table, p.proname as function, p.prosrc as source,
      bool_or(g.tgtype & 1 = 1) as is_row,
      array(select a.attname::text from pg_attribute a where a.attrelid = g.tgrelid and a.attnum > 0
        and not a.attisdropped order by 1) as columns
    from pg_trigger g join pg_proc p on p.oid = g.tgfoid where p.prosrc ~ 'changes\\.record'
    group by g.tgrelid, p.oid order by 1, 2`);

t.test('every table of health data is recorded, or is named with the reason', async (t) => {
  const tables = await s.database.query<{ name: string }>(
    "select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'timeseries'::regnamespace",
  );
  const recorded = new Set((await triggers()).map(({ table }) => table));
  t.same(
    tables.flatMap(({ name }) => (recorded.has(`timeseries.${name}`) ? [] : [name])).sort(),
    Object.values(unrecorded).flat().sort(),
  );
});

t.test('every column of a recorded row is compared, or is named with the reason', async (t) => {
  const wholeRow = /new is (?:not )?distinct from old/;
  for (const { table, function: name, source, is_row, columns } of await triggers()) {
    if (!is_row || wholeRow.test(source)) continue;
    const silent = columns.filter(
      (column) => !new RegExp(`(?:\\b(?:new|old|kept)\\.|-> ')${column}\\b`).test(source),
    );
    const known = Object.values(silentColumns[name] ?? {}).flat();
    t.same(
      silent.filter((column) => !known.includes(column)),
      [],
      `${table} ${name}`,
    );
  }
});

const at = Date.UTC(2026, 2, 1, 10);
const store = (user_id: string, fields: Parameters<typeof item>[0]) =>
  s.call('timeseries.store', { user_id, provider: 'devicemaker', items: [item(fields)] });
const datesOf = (changes: Awaited<ReturnType<typeof s.changes>>) =>
  ofType(changes, 'activity_summary.updated').map(({ data }) => data.date);

t.test('sedentary time alone is a change of the summary of its day', async (t) => {
  const { id } = await s.call('users.create', {});
  const part = { activity_type: 'SEDENTARY', values: {} };
  const sedentary = (startMs: number, seconds: number) =>
    store(id, { data_type: 'epochs', epoch: epoch(startMs, { ...part, sedentary_seconds: seconds }) });
  await sedentary(at, 900);
  const first = await s.settled(id);
  t.same(datesOf(first), ['2026-03-01']);
  await sedentary(at, 600);
  const second = await s.settled(id);
  t.same(datesOf(second), ['2026-03-01', '2026-03-01']);
  await sedentary(at, 600);
  t.same(await s.settled(id), second, 'an unchanged one is no change');
  await sedentary(at + 24 * hourMs, 300);
  t.same(datesOf(await s.settled(id)).sort(), ['2026-03-01', '2026-03-01', '2026-03-02']);
  const before = await s.settled(id);
  await s.database.query(`
    update timeseries.epoch_part set sedentary_seconds = 900 - sedentary_seconds where user_id = '${id}'`);
  t.same(datesOf((await s.settled(id)).slice(before.length)), ['2026-03-01', '2026-03-02']);
  const all = await s.settled(id);
  await s.database.query(`update timeseries.epoch_part set vals = '{}' where user_id = '${id}'`);
  t.same(await s.settled(id), all, 'values that no summary shows');
  await s.database.query(`delete from timeseries.epoch_part where user_id = '${id}'`);
  t.same(datesOf((await s.settled(id)).slice(all.length)), ['2026-03-01', '2026-03-02']);
});

t.test('interruptions of a night are a change of its sleep', async (t) => {
  const { id } = await s.call('users.create', {});
  const nightOf = (interruptions: number) =>
    s.call('timeseries.store', {
      ...{ user_id: id, provider: 'devicemaker' },
      items: [night([sleep(at, 400, { interruptions })])],
    });
  await nightOf(2);
  t.same(typesOf(await s.settled(id)), ['user.created', 'sleep.created']);
  await nightOf(3);
  t.same(typesOf(await s.settled(id)), ['user.created', 'sleep.created', 'sleep.updated']);
  await nightOf(3);
  t.equal((await s.settled(id)).length, 3);
});

t.test('the day values of an item are a change of its day, old and new', async (t) => {
  const { id } = await s.call('users.create', {});
  const versions = [
    dayValues('2026-03-01'),
    dayValues('2026-03-01'),
    dayValues('2026-03-01', { extra: { a: 1 } }),
    dayValues('2026-03-02'),
    null,
  ];
  for (const day_values of versions) {
    await store(id, { key: 'one', data_type: 'stressDetails', day_values });
    await s.settled(id);
  }
  const changed = ofType(await s.settled(id), 'day.updated').map(({ data }) => data.date);
  t.same(changed, ['2026-03-01', '2026-03-01', '2026-03-01', '2026-03-02', '2026-03-02']);
});

t.test('a score is changed by what is shown of it, and removed by a version without it', async (t) => {
  const { id } = await s.call('users.create', {});
  const versions = [{ value: 61 }, { value: 68 }, { value: 74 }, { value: 74 }, { label: 'good' }, null];
  for (const version of versions) {
    const scores = version === null ? [] : [score('2026-03-01', version)];
    await store(id, { key: 'one', data_type: 'daily_readiness', supersede: 'latest', scores });
    await s.settled(id);
  }
  const changes = (await s.settled(id)).slice(1);
  t.same(typesOf(changes), [...Array.from({ length: 4 }, () => 'score.updated'), 'score.deleted']);
  t.equal(new Set(changes.map(({ data }) => data.id)).size, 1);
});

t.test('scores of a sleep and of a day are changes of their own, each by its id in the list', async (t) => {
  const { id: user_id } = await s.call('users.create', {});
  const days = { user_id, start_date: '2026-03-01', end_date: '2026-03-01' };
  const nightOf = (score: number | null) =>
    s.call('timeseries.store', {
      ...{ user_id, provider: 'devicemaker' },
      items: [night([sleep(at, 400, { score, date: '2026-03-01' })], { key: 'night' })],
    });
  const dayOf = (values: DayValues) =>
    store(user_id, { key: 'day', supersede: 'latest', day_values: dayValues('2026-03-01', { values }) });
  const changed = async () => ofType(await s.settled(user_id), 'score.updated');
  const namesOf = (list: readonly { id?: unknown; kind?: unknown }[]) =>
    list.map(({ id, kind }) => `${kind} ${id}`).sort();

  await nightOf(80);
  await dayOf({ average_stress_level: 31, body_battery_charged: 50 });
  const listed = (await s.call('timeseries.scores', days)).data;
  t.equal(listed.length, 3);
  t.same(namesOf((await changed()).map(({ data }) => data)), namesOf(listed));

  await dayOf({ average_stress_level: 31, body_battery_charged: 51, steps_goal: 9000 });
  t.match((await changed()).slice(3), [{ data: { kind: 'body_battery' } }]);
  t.equal((await changed()).length, 4, 'the stress is the same');

  await nightOf(null);
  await dayOf({ average_stress_level: 31 });
  const deleted = ofType(await s.settled(user_id), 'score.deleted').map(({ data }) => data.kind);
  t.same(deleted.toSorted(), ['body_battery', 'sleep']);
  t.equal((await changed()).length, 4);
});

t.test('the validation and the score of a night are a change of its sleep', async (t) => {
  const { id } = await s.call('users.create', {});
  const of = (validation: string) => ({
    ...{ validation, score_qualifier: null, score_parts: [], latency_seconds: null, extra: null },
  });
  const final = { details: of('FINAL'), score: 80 };
  for (const version of [{ details: of('TENTATIVE') }, { details: of('FINAL') }, final, final]) {
    await s.call('timeseries.store', {
      ...{ user_id: id, provider: 'devicemaker' },
      items: [night([sleep(at, 400, version)])],
    });
    await s.settled(id);
  }
  const types = typesOf(await s.settled(id)).slice(1);
  t.same(types, ['sleep.created', 'sleep.updated', 'sleep.updated', 'score.updated']);
});

t.test('stages of a night that move are a change of its sleep', async (t) => {
  const { id } = await s.call('users.create', {});
  const nightOf = (deepSecond: number) =>
    s.call('timeseries.store', {
      ...{ user_id: id, provider: 'devicemaker' },
      items: [night([sleep(at, 400, { stage_intervals: [['deep', deepSecond, deepSecond + 600]] })])],
    });
  for (const deepSecond of [0, 3600, 3600]) {
    await nightOf(deepSecond);
    await s.settled(id);
  }
  t.same(typesOf(await s.settled(id)), ['user.created', 'sleep.created', 'sleep.updated']);
});

t.test('details of a workout that change are a change of the workout', async (t) => {
  const { id } = await s.call('users.create', {});
  const record = workout(at, 60);
  for (const pushes of [3, 4, 4]) {
    const extras = { details: { pushes }, laps: null, splits: null };
    const fields = { data_type: 'activities', key: 'a', hash: `${pushes} ${extras.details.pushes}` };
    await store(id, { ...fields, supersede: 'latest', workout: record, extras });
    await s.settled(id);
  }
  const told = typesOf(await s.settled(id)).filter((type) => type.startsWith('workout'));
  t.same(told, ['workout.created', 'workout.updated']);
});
