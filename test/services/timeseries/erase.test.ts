import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { type Database, database } from '../../../mixins/database/database.ts';
import { jobs } from '../../../mixins/jobs/jobs.ts';
import timeseries from '../../../services/timeseries/timeseries.service.ts';
import { markErased } from '../../../services/timeseries/work/erasure.ts';
import { refusal } from '../../support/refusal.ts';
import { startBroker, testConfig } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { tracesOf } from '../../support/traces.ts';
import { callDuringStore } from './call-during-store.ts';
import { steps, watch } from './interval-items.ts';
import { activity, at, block, day, epoch, item, night, other, sleep, workout } from './items.ts';
import { type Setting, setUp, withUser } from './setting.ts';

// Shared rows: the types and the state of retention. The id of an erased user stays, so that no data is stored again.
const kept = ['series_type', 'retention', 'tombstone'];

/** How many rows each table has that holds data of users, whichever tables there are. */
async function rowCounts(database: Database): Promise<Record<string, number>> {
  const tables = await database.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relnamespace = 'timeseries'::regnamespace and c.relkind = 'r'
       and c.relname <> all($1) order by 1`,
    [kept],
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await database.query<{ n: number }>(`select count(*)::int as n from timeseries.${name}`);
    counts[name] = row?.n ?? 0;
  }
  return counts;
}

const rowsLeft = async (database: Database) =>
  Object.entries(await rowCounts(database)).filter(([, n]) => n > 0);

async function untilFinished(database: Database): Promise<void> {
  for (let tries = 0; tries < 4800; tries += 1) {
    const rows = await database.query('select from timeseries.tombstone where finished_at is null');
    const jobs = await database.query("select from jobs.job where kind = 'timeseries.erasure'");
    if (rows.length + jobs.length === 0) return;
    await setTimeout(50);
  }
  throw new Error('the erasure did not come to its end');
}

const everything = () => [
  item({
    day: day('2026-03-01'),
    samples: [
      block('heart_rate', [
        [at('10:00:00'), 60],
        [at('11:00:00'), 61],
      ]),
    ],
  }),
  activity(workout(at('07:00:00'), 30), { samples: [block('speed', [[at('07:10:00'), 3]])] }),
  item({ epoch: epoch(at('08:00:00')) }),
  item({ other: other(at('09:00:00')) }),
  night([sleep(at('22:00:00'), 400)], { samples: [block('oxygen_saturation', [[at('23:00:00'), 96]])] }),
];

const storeEverything = async ({ call, store, storeIntervals, userId }: Setting) => {
  await store(everything());
  await storeIntervals([watch], [steps(at('10:00:00'), 10, 300)]);
  await call('timeseries.deleteIntervals', { user_id: userId, provider: 'devicemaker', ids: ['an id'] });
};

t.test('erases all data of one user only and refuses later data', async (t) => {
  const setting = await setUp(t);
  const { database, call, store, userId } = setting;
  const other = withUser(database, call, randomUUID());
  await storeEverything(other);
  const alone = await rowCounts(database);
  t.ok((alone.interval_value ?? 0) > 0 && (alone.deleted_interval ?? 0) > 0);
  await storeEverything(setting);
  const own = await tracesOf(database, [userId]);
  t.ok(own.includes(`timeseries.workout.user_id: ${userId}`), 'the search for traces finds them');
  t.strictSame(await call('timeseries.erase', { user_id: userId }), { erasing: true });
  const query = { user_id: userId, start_time: '2026-03-01', end_time: '2026-03-02' };
  t.equal(
    (await call('timeseries.samples', query)).pagination.total_count,
    0,
    'hidden when the call answers',
  );
  await t.rejects(store(everything()), refusal('USER_ERASED'));
  await untilFinished(database);
  t.strictSame(await rowCounts(database), alone);
  const traces = await tracesOf(database, [userId]);
  // The services users and webhooks, which are not told here, erase their own rows.
  t.strictSame(
    traces.filter((trace) => !/^(users|changes)\./.test(trace)),
    [
      `auth.audit_entry.subject_id: ${userId}`,
      `auth.audit_entry.user_id: ${userId}`,
      `timeseries.tombstone.user_id: ${userId}`,
    ],
    'the audit and the tombstone keep the id',
  );
  await t.rejects(store(everything()), refusal('USER_ERASED'), 'for good');
  t.strictSame(
    await call('timeseries.erase', { user_id: userId }),
    { erasing: true },
    'twice is as good as once',
  );
  t.equal((await other.store(everything()))[0]?.status, 'saved');
});

t.test('erasing a user without data refuses later data', async (t) => {
  const { database, call, store, userId } = await setUp(t);
  await call('timeseries.erase', { user_id: userId });
  await untilFinished(database);
  await t.rejects(store(everything()), refusal('USER_ERASED'));
});

t.test('erases the data of a store call that was in progress', async (t) => {
  const { database, call, store, userId } = await setUp(t);
  const samples = [block('steps', [[at('10:00:00'), 1]])];
  const erase = () => call('timeseries.erase', { user_id: userId });
  const stored = await callDuringStore(database, userId, () => store([item({ samples })]), erase);
  t.match(stored, [{ status: 'saved', samples_written: 1 }], 'it was stored before the erasure');
  await untilFinished(database);
  t.strictSame(await rowsLeft(database), []);
});

t.test('continues after a crash, in parts, with several processes', async (t) => {
  const database = await freshDatabase(t);
  const services = [timeseries];
  const first = await startBroker(t, { databaseUrl: database.url, services });
  const userId = randomUUID();
  const { store } = withUser(database, first.call, userId) satisfies Setting;
  for (let part = 0; part < 3; part += 1) {
    const rows = Array.from(
      { length: 9000 },
      (_, index) => [at('00:00:00') + (part * 9000 + index) * 1000, 1] as const,
    );
    await store([item({ samples: [block('steps', rows), block('energy', rows)] })]);
  }
  await first.broker.stop();
  // The trigger enqueues for processes of the previous version.
  await database.query('alter table timeseries.tombstone disable trigger enqueue_erasure');
  // A process that dies right after it answered leaves just this.
  await markErased(database, userId);
  const choice = { databaseUrl: database.url, services };
  await Promise.all([startBroker(t, choice), startBroker(t, choice)]);
  await untilFinished(database);
  t.strictSame(await rowsLeft(database), []);
  t.strictSame(await database.query('select series_ids from timeseries.tombstone'), [{ series_ids: [] }]);
});

t.test('a worker that stops leaves the pool, which ends with its last user', async (t) => {
  const { url } = await freshDatabase(t);
  const { broker, call } = await startBroker(t, { databaseUrl: url, services: [] });
  const environment = { broker, call, logger: broker.logger, config: testConfig({ databaseUrl: url }) };
  const releases: (() => unknown)[] = [];
  const starting = { ...environment, onStop: (release: () => unknown) => void releases.push(release) };
  await jobs()(starting);
  const open = await database()(starting);
  t.equal(releases.length, 2);
  await releases[0]?.();
  t.equal(open.pool.ending, false);
  await releases[1]?.();
  t.equal(open.pool.ending, true);
});
