import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Actions } from '../../../contracts/all.ts';
import { dayMs, isoTime, minuteMs } from '../../../domain/time/time.ts';
import type { Call } from '../../../runtime/environment.ts';
import { watchProviders } from '../../../services/freshness/work/watch-providers.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { simulatedStart } from './simulation.ts';

type Answers = Actions['deliveries.answers']['returns']['answers'];

const database = await freshDatabase(t);

t.test('an incident ends when the provider answers, not when its failures pause', async (t) => {
  await database.query(
    `insert into freshness.connection (connection_id, user_id, project_id, provider, connected_at)
     values ($1, $2, 'default', 'withings', now())`,
    [randomUUID(), randomUUID()],
  );
  let [nowMs, answers]: [number, Answers] = [simulatedStart, []];
  const published: unknown[] = [];
  const call: Call = (async (name: string, params: { readonly action?: string }) => {
    if (name === 'deliveries.answers') return { answers };
    published.push(params.action);
    return { published: 1 };
  }) as never;
  const watch = async (...minutes: readonly (readonly [ago: number, requests: number, failed: number])[]) => {
    nowMs += 5 * minuteMs;
    answers = minutes.map(([minutes_ago, requests, failed]) => ({
      ...{ provider: 'withings' as const, minutes_ago, requests, failed },
    }));
    await watchProviders({ database, call }, nowMs);
    return published.splice(0);
  };
  t.same(await watch([1, 6, 6]), [], 'it fails for a few minutes');
  t.same(await watch([1, 8, 8], [6, 6, 6]), ['started']);
  t.same(await watch(), [], 'nothing is sent');
  t.same(await watch([1, 26, 26]), [], 'it fails again after a pause');
  t.same(await watch([1, 4, 0], [6, 26, 26]), ['ended']);
  t.same(await watch([1, 4, 0]), []);
});

interface Watched {
  /** Watches once at an instant, and returns what is published. */
  watch(nowMs: number, answers?: Answers): Promise<string[]>;
}

async function watched(): Promise<Watched> {
  for (const table of ['connection', 'incident', 'hour'])
    await database.query(`delete from freshness.${table}`);
  return {
    async watch(nowMs, answers = []) {
      const published: string[] = [];
      const call: Call = (async (name: string, params: { action?: string; projects?: readonly string[] }) => {
        if (name === 'deliveries.answers') return { answers };
        published.push(`${params.action} ${params.projects?.join()}`);
        return { published: 1 };
      }) as never;
      await watchProviders({ database, call }, nowMs);
      return published;
    },
  };
}

const connect = (count: number, provider = 'oura') =>
  database.query(
    `with made as (
       insert into freshness.connection (connection_id, user_id, project_id, provider, connected_at)
       select gen_random_uuid(), gen_random_uuid(), 'default', $2, $3 from generate_series(1, $1) returning *)
     insert into freshness.arrival (connection_id, kind, user_id, project_id, provider, state)
     select connection_id, 'sleep', user_id, project_id, provider, 'fresh' from made`,
    [count, provider, isoTime(simulatedStart)],
  );

/** Some connections turn late, or others recover. */
const turn = async (count: number, state: 'late' | 'fresh', nowMs: number) => {
  const from = state === 'late' ? 'fresh' : 'late';
  await database.query(
    `with chosen as (
       update freshness.arrival set state = $2 where connection_id in (
         select connection_id from freshness.arrival where state = $3 limit $1) returning connection_id)
     update freshness.connection c set late_at = case when $2 = 'late' then $4::timestamptz else late_at end
     from chosen where chosen.connection_id = c.connection_id`,
    [count, state, from, isoTime(nowMs)],
  );
};

t.test('an incident of late connections ends once, when half of them have data again', async (t) => {
  const { watch } = await watched();
  await connect(100);
  let nowMs = simulatedStart + 30 * minuteMs;
  await turn(30, 'late', nowMs);
  t.same(await watch(nowMs + minuteMs), ['started default']);
  await turn(14, 'fresh', nowMs);
  t.same(await watch(nowMs + 2 * minuteMs), []);
  await turn(1, 'fresh', nowMs);
  t.same(await watch(nowMs + 3 * minuteMs), ['ended default']);
  for (let minute = 4; minute < 100; minute++) t.same(await watch(nowMs + minute * minuteMs), []);
  nowMs += 200 * minuteMs;
  await turn(30, 'late', nowMs);
  t.same(await watch(nowMs + minuteMs), ['started default'], 'others that turn late begin another one');
  t.same(await watch(nowMs + 23 * 60 * minuteMs), []);
  t.same(await watch(nowMs + 25 * 60 * minuteMs), ['ended default'], 'after a day it is none any more');
});

t.test('connections that were late before do not keep an incident open', async (t) => {
  const { watch } = await watched();
  await connect(1000);
  await turn(120, 'late', simulatedStart - 3 * dayMs);
  const nowMs = simulatedStart + 30 * minuteMs;
  const late = 'select connection_id from freshness.arrival where state = $1';
  const before = new Set(
    (await database.query<{ connection_id: string }>(late, ['late'])).map((one) => one.connection_id),
  );
  await turn(40, 'late', nowMs);
  t.same(await watch(nowMs + minuteMs), ['started default']);
  const turned = (await database.query<{ connection_id: string }>(late, ['late']))
    .map((one) => one.connection_id)
    .filter((id) => !before.has(id));
  t.equal(turned.length, 40);
  await database.query("update freshness.arrival set state = 'fresh' where connection_id = any($1)", [
    turned,
  ]);
  t.same(await watch(nowMs + 2 * minuteMs), ['ended default']);
});

t.test('an incident ends with the last connection of its provider', async (t) => {
  const { watch } = await watched();
  await connect(30);
  await turn(30, 'late', simulatedStart);
  t.same(await watch(simulatedStart + minuteMs), ['started default']);
  await database.query('delete from freshness.connection');
  t.same(await watch(simulatedStart + 2 * minuteMs), ['ended ']);
});

t.test('providers that fail are probed in turn, by connections whose access is good', async (t) => {
  const { watch } = await watched();
  for (const provider of ['oura', 'whoop']) await connect(5, provider);
  await database.query("update freshness.arrival set state = 'late'");
  await database.query(
    `update freshness.connection set ended_at = now() where connection_id not in (
       select distinct on (provider) connection_id from freshness.connection order by provider, connection_id)`,
  );
  const failing = (['oura', 'whoop'] as const).flatMap((provider) =>
    [1, 6].map((minutes_ago) => ({ provider, minutes_ago, requests: 9, failed: 9 })),
  );
  const probed: string[] = [];
  for (let minute = 0; minute < 4; minute++) {
    await watch(simulatedStart + minute * minuteMs, failing);
    const jobs = await database.query<{ provider: string; ended: boolean }>(
      `with taken as (delete from jobs.job where kind = 'freshness.repair' returning payload)
       select payload ->> 'provider' as provider, c.ended_at is not null as ended
       from taken join freshness.connection c on c.connection_id = (payload ->> 'connection_id')::uuid`,
    );
    t.ok(jobs.length <= 1 && jobs.every(({ ended }) => !ended));
    probed.push(...jobs.map(({ provider }) => provider));
  }
  t.same(new Set(probed), new Set(['oura', 'whoop']));
});
