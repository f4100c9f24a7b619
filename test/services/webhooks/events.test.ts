import { randomUUID } from 'node:crypto';
import t from 'tap';
import { eventBody, events, isEventType } from '../../../contracts/webhooks/events.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import { answerProblems } from '../../../runtime/implement.ts';
import timeseries from '../../../services/timeseries/timeseries.service.ts';
import { insertEndpointDisabled } from '../../../services/webhooks/tables/pending-changes.ts';
import webhooks from '../../../services/webhooks/webhooks.service.ts';
import { until } from '../../support/until.ts';
import { startSetting } from '../backfill/setting.ts';
import { activity, block, day, dayValues, item, night, score, sleep, workout } from '../timeseries/items.ts';
import { nothingPending, ofType, readAll, startWebhooks, typesOf } from './setting.ts';

const hourMs = 3_600_000;
const recently = Date.now() - 5 * hourMs;
const today = new Date(recently).toISOString().slice(0, 10);
const seen = new Set<string>();
const problems: string[] = [];

// Every change of every test is compared with the contract of its type.
function check(changes: Awaited<ReturnType<typeof readAll>>) {
  for (const { id: _, ...event } of changes) {
    seen.add(event.type);
    if (!isEventType(event.type)) continue;
    const schema = eventBody(event.type, events[event.type]);
    problems.push(...answerProblems(schema, event).map((problem) => `${event.type}: ${problem}`));
  }
  return changes;
}

const s = await startWebhooks(t, {
  PROVIDER_NAMES: 'devicemaker=garmin',
  PUBLIC_URL: 'https://pulse.example/',
});
const newUser = async () => (await s.call('users.create', { external_user_id: crypto.randomUUID() })).id;

t.test('a user is created, updated and deleted', async (t) => {
  const { id } = await s.call('users.create', { external_user_id: 'patient-1' });
  await s.settled(id);
  await s.call('users.update', { user_id: id, first_name: 'Ada' });
  await s.settled(id);
  await s.call('users.update', { user_id: id, first_name: 'Ada' });
  await s.settled(id);
  const before = check(await s.settled(id));
  const url = `https://pulse.example/api/v1/users/${id}`;
  t.match(before, [
    {
      type: 'user.created',
      data: { user_id: id, external_user_id: 'patient-1', sequence: 1, historical: false, url },
    },
    { type: 'user.updated', data: { user_id: id, external_user_id: 'patient-1', sequence: 2, url } },
  ]);
  t.equal(before.length, 2, 'an update that changes nothing is no change');
  await s.call('users.remove', { user_id: id });
  const after = check(await s.settled(id));
  t.strictSame(
    after.map(({ type, data }) => ({ type, data })),
    [
      {
        type: 'user.deleted',
        data: { user_id: id, external_user_id: null, sequence: 3, historical: false },
      },
    ],
  );
});

t.test('an account is connected, disconnected, connected again, and its access expires', async (t) => {
  const user_id = await newUser();
  const connect = () =>
    s.call('users.connect', {
      ...{ user_id, provider: 'devicemaker', provider_user_id: 'account', access_token: 'x' },
    });
  const { id } = await connect();
  await s.settled(user_id);
  await s.call('users.disconnect', { user_id, provider: 'devicemaker' });
  await s.settled(user_id);
  await connect();
  await s.settled(user_id);
  const noteError = (reason: string | null) =>
    s.database.query('update users.connection set status_reason = $2 where id = $1', [id, reason]);
  await noteError('REFRESH_FAILED');
  await s.settled(user_id);
  await noteError(null);
  await s.settled(user_id);
  const { version } = await s.call('users.tokens', { user_id, provider: 'devicemaker' });
  await s.call('users.expire', { connection_id: id, version, reason: 'TOKEN_REFUSED' });
  const changes = check(await s.settled(user_id));
  t.strictSame(typesOf(changes).slice(1), [
    'connection.created',
    'connection.revoked',
    'connection.created',
    'connection.error',
    'connection.recovered',
    'connection.expired',
  ]);
  t.match(changes[1]?.data, {
    connection_id: id,
    provider: 'garmin',
    url: `https://pulse.example/api/v1/users/${user_id}/connections/devicemaker`,
  });
});

t.test('a workout is stored, changed and removed', async (t) => {
  const user_id = await newUser();
  const store = (calories_kcal: number, duration: number) =>
    s.call('timeseries.store', {
      ...{ user_id, provider: 'activitynet' },
      items: [
        activity(workout(recently, duration, { calories_kcal }), {
          key: '42',
          hash: String(calories_kcal),
        }),
      ],
    });
  await store(100, 30);
  await s.settled(user_id);
  await store(200, 30);
  await s.settled(user_id);
  await s.call('timeseries.deleteWorkout', {
    user_id,
    provider: 'activitynet',
    key: '42',
  });
  const changes = check(await s.settled(user_id)).filter(({ type }) => type.startsWith('workout'));
  t.strictSame(typesOf(changes), ['workout.created', 'workout.updated', 'workout.deleted']);
  const id = changes[0]?.data.id;
  t.match(changes[0]?.data, {
    ...{ provider: 'activitynet', device: 'Watch 7', type: 'running', historical: false },
    url: `https://pulse.example/api/v1/users/${user_id}/events/workouts/${id}`,
  });
  t.strictSame(new Set(changes.map(({ data }) => data.id)).size, 1);
  t.equal(changes[2]?.data.url, undefined);
});

t.test('sleep is stored, changed and removed', async (t) => {
  const user_id = await newUser();
  const store = (asleep_seconds: number, duration_seconds: number) =>
    s.call('timeseries.store', {
      ...{ user_id, provider: 'devicemaker' },
      items: [
        night([sleep(recently, 240, { asleep_seconds })], { hash: String(asleep_seconds), duration_seconds }),
      ],
    });
  await store(10_000, 10_000);
  await s.settled(user_id);
  await store(12_000, 12_000);
  await s.settled(user_id);
  await s.call('timeseries.purge', { user_id, provider: 'devicemaker', version: 1 });
  await until(async () => ofType(await readAll(s.call, user_id), 'sleep.deleted').length > 0);
  const changes = check(await s.settled(user_id)).filter(({ type }) => type.startsWith('sleep'));
  t.strictSame(typesOf(changes), ['sleep.created', 'sleep.updated', 'sleep.deleted']);
  t.match(changes[0]?.data, { provider: 'garmin', is_nap: false });
});

t.test('samples are stored and removed, and the summaries that they are part of change', async (t) => {
  const user_id = await newUser();
  const samples = [
    [recently, 60],
    [recently + 60_000, 61],
  ] as const;
  await s.call('timeseries.store', {
    ...{ user_id, provider: 'devicemaker' },
    items: [
      item({ samples: [block('heart_rate', samples)] }),
      item({ samples: [block('weight', [[recently, 70]])] }),
      item({ samples: [block('blood_pressure_systolic', [[recently, 120]])] }),
      item({ day: day(today, { steps: 10 }) }),
    ],
  });
  const changes = check(await s.settled(user_id));
  const series = ofType(changes, 'timeseries.updated').find(({ data }) => data.series_type === 'heart_rate');
  const start = new Date(recently).toISOString();
  t.match(series?.data, { provider: 'garmin', device: 'Watch 7', values: 2, start_time: start });
  t.match(series?.data.url, /\/timeseries\?types=heart_rate&start_time=.*&end_time=/);
  t.match(ofType(changes, 'activity_summary.updated'), [{ data: { date: today } }]);
  t.equal(ofType(changes, 'body.updated').length, 1);
  await s.call('timeseries.purge', { user_id, provider: 'devicemaker', version: 1 });
  await until(async () => ofType(await readAll(s.call, user_id), 'timeseries.updated').length > 3);
  const removed = check(await s.settled(user_id)).slice(changes.length);
  t.ok(ofType(removed, 'timeseries.updated').length >= 3, 'each series');
  t.ok(ofType(removed, 'timeseries.updated').every(({ data }) => data.values === 0));
  t.ok(ofType(removed, 'activity_summary.updated').length > 0);
  t.ok(ofType(removed, 'body.updated').length > 0);
});

t.test('a backfill is started, completes its types, and ends', async (t) => {
  const b = await startSetting(t, {
    types: 'dailies,sleeps',
    services: [timeseries, webhooks],
    settings: { CHANGE_JOIN_SECONDS: '0', CHANGE_JOIN_HISTORICAL_SECONDS: '0' },
  });
  const wearer = await b.wearer();
  await b.start(wearer, 3);
  const brought: string[] = [];
  // Not the whole clock: the next type may have been asked for, and its time limit would be over. At each look, because a request
  // whose answer is still read sets its time limit later.
  const endWait = async () => {
    await b.database.query(
      'update backfill.step set deadline = now() where deadline is not null and type = any($1)',
      [brought],
    );
    await b.database.query('update backfill.run set run_at = now() where not asking');
  };
  for (const type of ['dailies', 'sleeps']) {
    await until(async () => {
      await endWait();
      const { types } = await b.status(wearer);
      return types.some((one) => one.type === type && one.status === 'requested');
    });
    await b.bring(wearer, type);
    brought.push(type);
  }
  await until(async () => {
    await b.turnClock();
    return (await b.status(wearer)).status === 'done';
  });
  await nothingPending(b.database);
  const changes = check(await readAll(b.call, wearer.user_id)).filter(({ type }) =>
    type.startsWith('backfill'),
  );
  t.strictSame(typesOf(changes), [
    'backfill.started',
    'backfill.type_completed',
    'backfill.type_completed',
    'backfill.completed',
  ]);
  t.strictSame(
    changes.flatMap(({ data }) => data.data_type ?? []),
    ['dailies', 'sleeps'],
  );
  t.equal(changes[3]?.data.status, 'done');
});

t.test('a day with other values is reported with its address', async (t) => {
  const user_id = await newUser();
  await s.call('timeseries.store', {
    ...{ user_id, provider: 'devicemaker' },
    items: [item({ data_type: 'stressDetails', day_values: dayValues(today) })],
  });
  const url = `https://pulse.example/api/v1/users/${user_id}/days/${today}`;
  t.match(check(ofType(await s.settled(user_id), 'day.updated')), [{ data: { date: today, url } }]);
});

t.test('a score is stored and removed, with its span and the address that lists it', async (t) => {
  const user_id = await newUser();
  const store = (scores: ReturnType<typeof score>[]) =>
    s.call('timeseries.store', {
      ...{ user_id, provider: 'devicemaker' },
      items: [item({ data_type: 'daily_readiness', key: 'day', supersede: 'latest', scores })],
    });
  await store([score(today)]);
  await s.settled(user_id);
  await store([]);
  const changes = check(await s.settled(user_id)).filter(({ type }) => type.startsWith('score'));
  const url = `https://pulse.example/api/v1/users/${user_id}/scores?start_date=${today}&end_date=${today}&kind=readiness`;
  const data = { kind: 'readiness', provider: 'garmin', device: 'Ring 4', date: today };
  const span = { start_time: `${today}T00:00:00Z`, end_time: `${today}T01:00:00Z`, historical: false };
  t.match(changes, [
    { type: 'score.updated', data: { ...data, ...span, url } },
    { type: 'score.deleted', data: { ...data, ...span } },
  ]);
  t.equal(changes[1]?.data.url, undefined);
});

t.test('an endpoint that is disabled is reported to the others', async (t) => {
  const make = (path: string) => s.call('webhooks.createEndpoint', { url: `https://app.example/${path}` });
  const [one, other] = [await make('one'), await make('other')];
  await s.database.transaction(async (transaction) => {
    await transaction.query('update webhooks.endpoint set enabled = false where id = $1', [one.id]);
    const origin = { actor: 'system:webhooks', requestId: null };
    await recordAudit(transaction, origin, { action: 'webhook_endpoint.disabled', subjectId: one.id });
    await insertEndpointDisabled(transaction, one.id, 'gone');
  });
  const changes = check(ofType(await s.changes(), 'webhook_endpoint.disabled'));
  t.match(changes, [{ data: { endpoint_id: one.id, reason: 'gone' } }]);
  const told = "select endpoint_id from webhooks.message where type = 'webhook_endpoint.disabled'";
  t.strictSame(await s.database.query(told), [{ endpoint_id: other.id }]);
});

t.test('missing data of a connection is reported once, and its return', async (t) => {
  const user_id = await newUser();
  const connection = await s.call('users.connect', {
    ...{ user_id, provider: 'devicemaker', provider_user_id: randomUUID() },
  });
  await s.database.query(
    `insert into freshness.connection (connection_id, user_id, project_id, provider, connected_at)
     values ($1, $2, 'default', 'devicemaker', now())`,
    [connection.id, user_id],
  );
  const change = (text: string) =>
    s.database.query(`update freshness.connection set ${text} where connection_id = $1`, [connection.id]);
  await change("stale_since = now(), stale_kinds = '{sleep}'");
  await s.settled(user_id);
  await change("stale_kinds = '{heart_rate,sleep}'");
  await change("stale_since = null, stale_kinds = '{}'");
  const changes = check(await s.settled(user_id)).filter(({ type }) => /stale|fresh/.test(type));
  const url = `https://pulse.example/api/v1/users/${user_id}/connections/devicemaker`;
  const data = { connection_id: connection.id, provider: 'garmin', url };
  t.match(changes, [
    { type: 'connection.stale', data: { ...data, data_types: ['sleep'], reason: 'no_data' } },
    { type: 'connection.fresh', data },
  ]);
  t.equal(changes.length, 2);
});

t.test('computed values of a day are reported with the methods that changed', async (t) => {
  const user_id = await newUser();
  await s.database.query(
    `insert into insights.day (user_id, date, scores) values ($1, '2026-03-04', '{"sleep_score": 80, "peak_cadence": 90}')`,
    [user_id],
  );
  await s.settled(user_id);
  await s.database.query(
    `update insights.day set scores = scores || '{"sleep_score": 81}' where user_id = $1`,
    [user_id],
  );
  const changes = ofType(check(await s.settled(user_id)), 'insight.updated');
  t.match(changes.at(-1)?.data, { user_id, date: '2026-03-04', methods: ['sleep_score'] });
  t.equal(changes.length, 2);
});

t.test('an incident is published to each project once', async (t) => {
  const incident = { incident_id: randomUUID(), provider: 'devicemaker', reason: 'late' } as const;
  const publish = (action: 'started' | 'ended') =>
    s.call('webhooks.publishIncident', { ...incident, action, projects: ['default'] });
  const started = await Promise.all([publish('started'), publish('started')]);
  t.same(started.map(({ published }) => published).toSorted(), [0, 1]);
  t.same(await publish('ended'), { published: 1 });
  const changes = check(await s.changes()).filter(({ type }) => type.startsWith('provider'));
  const data = { incident_id: incident.incident_id, provider: 'garmin', reason: 'late' };
  t.match(changes, [
    { type: 'provider.incident.started', data },
    { type: 'provider.incident.ended', data },
  ]);
});

t.test('every type was produced, in the form of its contract', async (t) => {
  t.strictSame(
    Object.keys(events).filter((type) => !seen.has(type)),
    [],
  );
  t.strictSame([...new Set(problems)], []);
});
