import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Actions } from '../../../contracts/all.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { dayMs, hourMs, isoTime, minuteMs } from '../../../domain/time/time.ts';
import type { Call } from '../../../runtime/environment.ts';
import { followPart } from '../../../services/freshness/work/follow.ts';
import { judgePart } from '../../../services/freshness/work/judge-due.ts';
import { repairHandler, repairStart } from '../../../services/freshness/work/repair.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { simulatedStart } from './simulation.ts';

const now = simulatedStart + 60 * dayMs;
const call: Call = (async () => ({ status: 'active', scope: [] })) as never;

interface Row {
  readonly kind: string;
  readonly state?: string;
  /** Hours since the last arrival. */
  readonly last: number;
  readonly repairs?: number;
  /** Hours since a repair began that did not end. */
  readonly repaired?: number;
}

/** A connection with arrivals that are due. */
async function given(rows: readonly Row[], provider = 'oura'): Promise<string> {
  const [id, user] = [randomUUID(), randomUUID()];
  const ago = (hours: number | undefined) => (hours === undefined ? null : isoTime(now - hours * hourMs));
  await database.query(
    `insert into freshness.connection (connection_id, user_id, project_id, provider, connected_at)
     values ($1, $2, 'default', $3, $4)`,
    [id, user, provider, isoTime(simulatedStart)],
  );
  for (const { kind, state = 'fresh', last, repairs = 0, repaired } of rows)
    await database.query(
      `insert into freshness.arrival (connection_id, kind, user_id, project_id, provider, arrivals, last_at, state, check_at,
         repairs, repaired_at, repair_open)
       values ($1, $2, $3, 'default', $4, 1, $5, $6, $7, $8, $9::timestamptz, $9::timestamptz is not null)`,
      [...[id, kind, user, provider, ago(last), state, isoTime(now), repairs, ago(repaired)]],
    );
  return id;
}

async function statesOf(id: string): Promise<Record<string, string>> {
  const rows = await database.query<{ kind: string; state: string }>(
    'select kind, state from freshness.arrival where connection_id = $1',
    [id],
  );
  return Object.fromEntries(rows.map(({ kind, state }) => [kind, state]));
}

const database = await freshDatabase(t);
const judge = (nowMs = now) => judgePart({ database, call }, nowMs);

t.beforeEach(async () => {
  for (const table of ['freshness.connection', 'freshness.incident', 'jobs.job', 'auth.audit_entry'])
    await database.query(`delete from ${table}`);
});

t.test('what was stale before an incident stays stale in it', async (t) => {
  const id = await given([
    { kind: 'sleep', state: 'stale', last: 100 },
    { kind: 'heart_rate', last: 100 },
  ]);
  await database.query(
    "insert into freshness.incident (provider, reason, turned, connections) values ('oura', 'late', 9, 20)",
  );
  await judge();
  t.same(await statesOf(id), { sleep: 'stale', heart_rate: 'late' });
});

t.test('rows of providers and kinds that this version does not know stop no others', async (t) => {
  const rows = Array.from({ length: 600 }, (_, index) => ({ kind: `kind-${index}`, last: 1 }));
  await given(rows.slice(0, 300));
  await given(rows.slice(300), 'ringmaker');
  const id = await given([{ kind: 'sleep', last: 40 }]);
  t.equal(await judge(), false);
  t.same(await statesOf(id), { sleep: 'late' });
});

t.test('a repair that waits fetches the kinds of a later one too', async (t) => {
  await given([{ kind: 'sleep', last: 50 }]);
  await judge();
  await database.query(
    `insert into freshness.arrival (connection_id, kind, user_id, project_id, provider, arrivals, last_at, state, check_at)
     select connection_id, 'heart_rate', user_id, project_id, provider, 1, $1, 'fresh', $1 from freshness.connection`,
    [isoTime(now - 50 * hourMs)],
  );
  await judge(now + minuteMs);
  const jobs = await database.query(
    "select payload -> 'kinds' as kinds from jobs.job where kind = 'freshness.repair'",
  );
  t.same(jobs, [{ kinds: ['sleep', 'heart_rate'] }]);
});

t.test(
  'a device counts as not worn only after a repair that found nothing, and is looked for once a day',
  async (t) => {
    const id = await given([
      { kind: 'daily_activity', last: 1 },
      { kind: 'sleep', state: 'late', last: 50, repairs: 1, repaired: 0.5 },
      { kind: 'heart_rate', state: 'late', last: 50, repairs: 1, repaired: 1 },
    ]);
    await judge();
    t.same(await statesOf(id), { daily_activity: 'fresh', sleep: 'late', heart_rate: 'paused' });
    const count = async () => {
      const [row] = await database.query<{ n: number }>(
        "select count(*)::int as n from auth.audit_entry where action = 'connection.repair_started'",
      );
      return row?.n ?? 0;
    };
    const before = await count();
    for (let hour = 1; hour <= 72; hour++) {
      await database.query("update freshness.arrival set last_at = $1 where kind = 'daily_activity'", [
        isoTime(now + hour * hourMs),
      ]);
      await judge(now + hour * hourMs);
    }
    t.same(await statesOf(id), { daily_activity: 'fresh', sleep: 'paused', heart_rate: 'paused' });
    t.ok((await count()) - before >= 4, 'both kinds are looked for each day');
  },
);

t.test(
  'a repair that failed three times has its outcome, once, and its kinds are not open any more',
  async (t) => {
    const id = await given([{ kind: 'sleep', last: 50 }]);
    await judge();
    const [payload] = await database.query<{ payload: unknown }>('select payload from jobs.job');
    const away: Call = (() => Promise.reject(new ServiceError('SERVICE_UNAVAILABLE'))) as never;
    const handler = repairHandler({ database, call: away, now: () => now });
    const held = { signal: new AbortController().signal, holds: async () => true };
    const row = { kind: 'freshness.repair', key: id, attempt: 1, version: 1, cancelled: false, crashes: 0 };
    const work = (failures: number) =>
      handler.work({ ...row, failures, payload: payload?.payload, created_at: new Date() }, held);
    const ended = () =>
      database.query<{ outcome: string; open: boolean }>(
        `select e.details ->> 'outcome' as outcome, a.repair_open as open from auth.audit_entry e
         join freshness.arrival a on a.connection_id = e.subject_id
       where e.action = 'connection.repair_ended'`,
      );
    for (const failures of [0, 1]) t.equal((await work(failures)).kind, 'later');
    t.same(await ended(), []);
    for (const _ of ['the last attempt', 'the same, after the process was killed'])
      t.same(await work(2), { kind: 'dead', reason: 'SERVICE_UNAVAILABLE' });
    t.same(await ended(), [{ outcome: 'SERVICE_UNAVAILABLE', open: false }]);
    await judge(now + 2 * hourMs);
    t.equal((await ended()).length, 1, 'and no other one follows for it');
  },
);

t.test('data of the future does not hide what is missing', async (t) => {
  t.equal(repairStart('oura', now + 9 * dayMs, now), now - dayMs);
  t.equal(repairStart('oura', now - 3 * dayMs + 0.25, now), now - 4 * dayMs);
  t.equal(repairStart('oura', null, now), now - 30 * dayMs);
});

type Changes = Actions['webhooks.arrivals']['returns']['changes'];

t.test(
  'all kinds of a connection that was made again are judged again; deleted users get none',
  async (t) => {
    const id = await given([{ kind: 'activities', state: 'stale', last: 100 }]);
    const [row] = await database.query<{ user_id: string }>('select user_id from freshness.connection');
    const user_id = row?.user_id ?? '';
    await database.query('insert into users.person (id) values ($1)', [user_id]);
    await database.query('update freshness.arrival set check_at = null');
    let lastId = 0;
    const follow = async (changes: Changes) => {
      lastId += 1;
      const answer = { changes, last_id: String(lastId), has_more: false };
      await followPart({ database, call: (async () => answer) as never }, now);
    };
    const made = (user: string, connection_id: string): Changes => [
      {
        ...{
          project_id: 'default',
          user_id: user,
          type: 'connection.created',
          provider: 'oura',
          connection_id,
        },
        ...{ detail: null, historical: false, last_ms: null, recorded_ms: now },
      },
    ];
    await follow(made(user_id, id));
    const due = await database.query(
      'select kind from freshness.arrival where check_at is not null order by kind',
    );
    t.same(
      due.map(({ kind }) => kind),
      ['activities', 'daily_activity', 'heart_rate', 'sleep'],
    );
    const gone = randomUUID();
    await database.query('insert into users.person (id, deleted_at) values ($1, now())', [gone]);
    await follow(made(gone, randomUUID()));
    t.same(await database.query('select from freshness.connection where user_id = $1', [gone]), []);
  },
);
