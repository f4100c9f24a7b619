import t from 'tap';
import { ServiceError } from '../../../domain/errors.ts';
import { dayMs } from '../../../domain/time/time.ts';
import { timeOfDayMs } from '../../../runtime/jobs/time-of-day.ts';
import { requestsFor } from '../../../services/freshness/rules/gap-days.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { away, type Calendar, dateBefore, GapWorld, noon } from './gap-world.ts';

const database = await freshDatabase(t);
const world = new GapWorld(database);
t.beforeEach(() => world.reset());

const full = { daily_activity: '11111111111', heart_rate: '11111111111' };
const gap: Calendar = { ...full, heart_rate: '11111111011' };

interface Case {
  readonly what: string;
  readonly days: Calendar;
  readonly asked?: Readonly<Record<string, readonly string[]>>;
  readonly scope?: readonly string[];
  readonly also?: string;
  readonly wanted?: Readonly<Record<string, readonly string[]>>;
}

const cases: readonly Case[] = [
  { what: 'a gap inside', days: gap, wanted: { heart_rate: [dateBefore(2)] } },
  { what: 'a gap at the end: its data may come yet', days: { ...full, heart_rate: '11111111100' } },
  { what: 'a gap at the beginning', days: { ...full, heart_rate: '00000000111' } },
  { what: 'no gap', days: full },
  { what: 'a day without any data', days: { daily_activity: '11111011111', heart_rate: '11111011111' } },
  {
    what: 'the oldest day, and not the one before it',
    days: { ...full, heart_rate: '11100111111' },
    wanted: { heart_rate: [dateBefore(7), dateBefore(6)] },
  },
  { what: 'a day of before', days: { ...full, heart_rate: '10011111111' } },
  {
    what: 'two kinds',
    days: { ...gap, sleep: '11111011001' },
    wanted: { heart_rate: [dateBefore(2)], sleep: [dateBefore(5), dateBefore(2), dateBefore(1)] },
  },
  { what: 'a kind that is not expected', days: { ...full, body: '10000000001' } },
  { what: 'a day that was requested before', days: gap, asked: { heart_rate: [dateBefore(2)] } },
  {
    what: 'one of two days was requested before, and one of another kind',
    days: { ...full, heart_rate: '11111011011' },
    asked: { heart_rate: [dateBefore(2)], sleep: [dateBefore(5)] },
    wanted: { heart_rate: [dateBefore(5)] },
  },
  { what: 'health data is not shared', days: gap, scope: ['ACTIVITY_EXPORT', 'HISTORICAL_DATA_EXPORT'] },
  { what: 'data of the past is not shared', days: gap, scope: ['ACTIVITY_EXPORT', 'HEALTH_EXPORT'] },
  {
    what: 'all is shared',
    days: gap,
    scope: ['HEALTH_EXPORT', 'HISTORICAL_DATA_EXPORT'],
    wanted: { heart_rate: [dateBefore(2)] },
  },
  {
    what: 'an incident of the provider',
    days: gap,
    also: "insert into freshness.incident (provider, reason, turned, connections) values ('devicemaker', 'late', 9, 20)",
  },
  {
    what: 'an incident of another provider',
    days: gap,
    also: "insert into freshness.incident (provider, reason, turned, connections) values ('oura', 'late', 9, 20)",
    wanted: { heart_rate: [dateBefore(2)] },
  },
  { what: 'the access ended', days: gap, also: 'update freshness.connection set ended_at = now()' },
  {
    what: 'a connection that is not due',
    days: gap,
    also: "update freshness.connection set gaps_at = gaps_at + interval '1 hour'",
  },
];

for (const { what, days, asked, scope, also, wanted } of cases)
  t.test(what, async (t) => {
    const id = await world.connect(days, asked);
    if (scope !== undefined) world.scopes.set(await world.userOf(id), scope);
    if (also !== undefined) await database.query(also);
    t.equal(await world.look(), false);
    t.same(await world.waiting(), wanted === undefined ? {} : { [id]: wanted });
    t.same(await world.entries(), wanted === undefined ? [] : ['started']);
  });

t.test('a gap that stays empty is requested once, and found empty an hour later', async (t) => {
  const id = await world.connect(gap);
  await world.look();
  t.same(await world.work('gap_request'), ['done']);
  t.same(
    world.requested.map(({ types }) => types),
    [['dailies', 'hrv', 'respiration', 'pulseOx', 'healthSnapshot']],
  );
  const [outcome] = await database.query<{ hours: number }>(
    "select extract(epoch from run_at - now())::float8 / 3600 as hours from jobs.job where kind = 'freshness.gap_outcome'",
  );
  t.ok(Math.abs((outcome?.hours ?? 0) - 1) < 0.05);
  t.same(await world.work('gap_outcome'), ['done']);
  for (const night of [1, 2, 3]) await world.look(night);
  t.same(await world.waiting(), {});
  t.same(await world.entries(), ['started', 'nothing_found']);
  const [entry] = await database.query<{ details: unknown }>(
    "select details from auth.audit_entry where action = 'connection.repair_started' and subject_id = $1",
    [id],
  );
  t.same(entry?.details, { provider: 'devicemaker', data_types: ['heart_rate'], dates: [dateBefore(2)] });
});

t.test('a gap that is filled meanwhile ends as data that arrived', async (t) => {
  const id = await world.connect(gap);
  await world.look();
  await world.work('gap_request');
  world.calendars.set(await world.userOf(id), full);
  await world.work('gap_outcome');
  t.same(await world.entries(), ['started', 'data_arrived']);
});

t.test('each connection is looked at once a night, at its own time', async (t) => {
  const ids = [await world.connect(full), await world.connect(full)];
  await world.look();
  const rows = await database.query<{ connection_id: string; gaps_at: Date }>(
    'select connection_id, gaps_at from freshness.connection',
  );
  t.same(rows.map(({ connection_id }) => connection_id).toSorted(), ids.toSorted());
  for (const { connection_id, gaps_at } of rows) {
    t.equal(gaps_at.getTime() % dayMs, timeOfDayMs(connection_id));
    t.ok(gaps_at.getTime() > noon && gaps_at.getTime() <= noon + dayMs);
  }
});

t.test('two processes that look at once request a gap once', async (t) => {
  const id = await world.connect(gap);
  let looking = 0;
  const both = Promise.withResolvers<void>();
  world.beforeDays = async () => {
    if (++looking === 2) both.resolve();
    await both.promise;
  };
  await Promise.all([world.look(), world.look()]);
  t.equal(looking, 2);
  t.same(await world.waiting(), { [id]: { heart_rate: [dateBefore(2)] } });
  t.same(await world.entries(), ['started']);
});

t.test(
  'a process that looked before the request of another one, and comes after it, requests nothing',
  async (t) => {
    await world.connect(gap);
    const [looked, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    world.beforeDays = () => {
      looked.resolve();
      return goOn.promise;
    };
    const late = world.look();
    await looked.promise;
    world.beforeDays = async () => undefined;
    await world.look();
    await world.work('gap_request');
    goOn.resolve();
    await late;
    t.same(await world.waiting(), {});
    t.same(await world.entries(), ['started']);
  },
);

t.test(
  'no days are read of a connection that ended, and none requested of one that ends meanwhile',
  async (t) => {
    await world.connect(gap);
    let reads = 0;
    world.beforeDays = async () => {
      reads += 1;
      await database.query('update freshness.connection set ended_at = now()');
    };
    await world.look();
    await world.look();
    t.equal(reads, 1);
    t.same(await world.waiting(), {});
    t.same(await world.entries(), []);
  },
);

t.test('a process that is killed while it looks leaves the gap to the next one', async (t) => {
  const id = await world.connect(gap);
  world.beforeDays = () => Promise.reject(new Error('killed'));
  await t.rejects(world.look(), { message: 'killed' });
  t.same(await world.waiting(), {});
  world.beforeDays = async () => undefined;
  await world.look();
  t.same(await world.waiting(), { [id]: { heart_rate: [dateBefore(2)] } });
});

t.test('a request and its outcome, killed after their work, are done once', async (t) => {
  await world.connect(gap);
  await world.look();
  await world.work('gap_request', { isKilled: true });
  await world.work('gap_request');
  t.equal(world.requested.length, 1);
  await world.work('gap_outcome', { isKilled: true });
  await world.work('gap_outcome');
  t.same(await world.entries(), ['started', 'nothing_found']);
  t.same(await database.query('select kind from jobs.job'), []);
});

t.test('a request that fails three times ends, and its days are requested in the next night', async (t) => {
  const id = await world.connect(gap);
  await world.look();
  world.failure = away;
  t.same(await world.work('gap_request', { failures: 0 }), ['later']);
  t.same(await world.work('gap_request', { failures: 1 }), ['later']);
  t.same(await world.entries(), ['started']);
  t.same(await world.work('gap_request', { failures: 2, isKilled: true }), ['dead']);
  t.same(await world.work('gap_request', { failures: 2 }), ['dead']);
  t.same(await world.entries(), ['started', 'SERVICE_UNAVAILABLE'], 'one outcome');
  await database.query("update jobs.job set dead_at = now() where kind = 'freshness.gap_request'");
  await world.look(1);
  t.same(await world.waiting(), { [id]: { heart_rate: [dateBefore(2)] } });
});

t.test('a request waits for no backfill, and none is made during an incident', async (t) => {
  await world.connect(gap);
  await world.look();
  world.failure = new ServiceError('BACKFILL_RUNNING');
  t.same(await world.work('gap_request'), ['done']);
  await world.look(1);
  world.failure = null;
  await database.query(
    "insert into freshness.incident (provider, reason, turned, connections) values ('devicemaker', 'failing', 9, 20)",
  );
  t.same(await world.work('gap_request'), ['done']);
  t.same(world.requested, []);
  t.same(await world.entries(), ['started', 'BACKFILL_RUNNING', 'started', 'PROVIDER_INCIDENT']);
});

t.test('days of a night whose request still waits are left to the next one', async (t) => {
  const id = await world.connect(gap);
  await world.look();
  world.calendars.set(await world.userOf(id), { ...gap, sleep: '11111101111' });
  await world.look(1);
  t.same(await world.waiting(), { [id]: { heart_rate: [dateBefore(2)] } });
  await world.work('gap_request');
  await world.look(2);
  t.same(await world.waiting(), { [id]: { sleep: [dateBefore(4)] } });
});

t.test('days that were requested are forgotten once they are older than a week', async (t) => {
  const id = await world.connect(gap, { heart_rate: [dateBefore(9), dateBefore(7)] });
  await world.look();
  const [row] = await database.query<{ asked: string[] }>(
    "select gaps_asked::text[] as asked from freshness.arrival where connection_id = $1 and kind = 'heart_rate'",
    [id],
  );
  t.same(row?.asked, [dateBefore(7), dateBefore(2)]);
});

t.test('requests cover the days with a night before them, until now, and no day between', async (t) => {
  const span = (type: string, from: number, to: number) => ({
    ...{ type, start_ms: noon - (from + 0.5) * dayMs, end_ms: noon - (to + 0.5) * dayMs },
  });
  const gaps = [{ kind: 'sleep' as const, days: [dateBefore(6), dateBefore(2), dateBefore(1)] }];
  t.same(requestsFor('devicemaker', gaps, noon), [
    { ...span('sleeps', 3, 0), end_ms: noon },
    span('sleeps', 7, 4.5),
  ]);
  const both = [
    { kind: 'stress' as const, days: [dateBefore(3)] },
    { kind: 'sleep' as const, days: [dateBefore(5)] },
  ];
  t.same(requestsFor('devicemaker', both, noon), [
    span('sleeps', 6, 3.5),
    span('stressDetails', 4, 1.5),
    span('healthSnapshot', 4, 1.5),
  ]);
});
