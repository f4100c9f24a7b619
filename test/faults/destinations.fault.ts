// kill -9 of the process that writes a destination, while data of all kinds changes and a user is deleted. Afterwards DuckDB reads what
// the manifest names: each row of the database once, and nothing of the deleted user in any object of the store.
// DESTINATIONS_KILLS is the number of kills, DESTINATIONS_SEED repeats the random choices.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { dayMs, hourMs, minuteMs } from '../../domain/time/time.ts';
import { manifestOf, rowsInDatabase } from '../services/destinations/manifest-rows.ts';
import { startDestinations } from '../services/destinations/setting.ts';
import { activity, block, day, item, night, sleep as slept, workout } from '../services/timeseries/items.ts';
import { testSettings } from '../support/servers/broker.ts';
import { startS3Store } from '../support/servers/s3-store.ts';
import { rowsByDuckDb } from './destinations/duckdb.ts';
import { seeded } from './support/random.ts';

t.setTimeout(0);

const kills = Number(process.env.DESTINATIONS_KILLS ?? 20);
const seed = Number(process.env.DESTINATIONS_SEED ?? Date.now() % 1_000_000);
t.comment(`DESTINATIONS_SEED=${seed}`);
const random = seeded(seed);
const store = await startS3Store();
t.teardown(store.stop);
const settings = { DESTINATION_HOSTS: store.host };
// This process takes the calls. The others write.
const s = await startDestinations(t, settings, { pace: { parallel: 0 } });
const pace = { leaseMs: 1500, pollMs: 50, idleMs: 50, retryMs: [200], watchMs: 1000, rowsPerCommit: 300 };
const { id } = await s.call('destinations.create', {
  kind: 's3',
  settings: { ...store.settings, prefix: 'copy', interval_seconds: 1 },
});

const users = [await s.user(), await s.user(), await s.user(), await s.user()];
const [leaving = ''] = users;
const today = Math.floor(Date.now() / dayMs) * dayMs;
const days = [0, 1, 2, 30, 31, 250].map((ago) => today - ago * dayMs);
const state = { ends: false, changes: 0 };

async function changeOne(): Promise<void> {
  const user = random.pick(state.ends ? users.slice(1) : users);
  const start = random.pick(days) + random.below(23) * hourMs;
  const values = Array.from({ length: 1 + random.below(120) }, (_, at): [number, number] => [
    start + at * minuteMs,
    50 + random.below(90),
  ]);
  const key = `key ${random.below(12)}`;
  const date = new Date(start).toISOString().slice(0, 10);
  const hash = `${state.changes}`;
  const items = [
    item({ samples: [block(random.pick(['heart_rate', 'steps', 'weight'] as const), values)] }),
    activity(workout(start, 30, { name: `Run ${state.changes}` }), { key, hash }),
    night([slept(start, 300 + random.below(100))], { key, hash }),
    item({
      key: date,
      hash,
      duration_seconds: 3600 + state.changes,
      day: day(date, { steps: state.changes }),
    }),
  ];
  await s.store(user, [random.pick(items)]);
  if (random.chance(0.1))
    await s.database.query(
      `delete from timeseries.sample x using timeseries.series s where s.id = x.series_id and s.user_id = $1
         and x.ts between to_timestamp($2) and to_timestamp($2) + interval '20 minutes'`,
      [user, start / 1000],
    );
  state.changes += 1;
}

async function changeAll(): Promise<void> {
  while (!state.ends || state.changes % 10 !== 0) {
    await changeOne();
    await sleep(random.below(60));
  }
}

const file = join(import.meta.dirname, '../services/destinations/destinations-process.ts');
const choice = JSON.stringify({ settings: testSettings({ databaseUrl: s.database.url, settings }), pace });
const begin = () => spawn(process.execPath, [file, choice], { stdio: 'ignore' });
const began = performance.now();
const changing = changeAll();
let commits = 0;
for (let kill = 0; kill < kills; kill += 1) {
  const child = begin();
  const exit = once(child, 'exit');
  await sleep(2000 + random.below(3000));
  child.kill('SIGKILL');
  await exit;
  commits = await manifestOf(store, 'copy/').then(
    ({ commit }) => commit,
    () => 0,
  );
  if (kill === Math.floor(kills / 2)) {
    await s.call('users.remove', { user_id: leaving });
    users.splice(0, 1, users[1] ?? '');
    await s.call('destinations.forgetUser', { user_id: leaving });
  }
}
state.ends = true;
await changing;
const last = begin();
t.teardown(() => last.kill('SIGKILL'));
await s.written(id);
const folder = await mkdtemp(join(tmpdir(), 'pulsebus-duckdb-'));
t.teardown(() => rm(folder, { recursive: true }));
const [found, wanted] = [await rowsByDuckDb(store, 'copy', folder), await rowsInDatabase(s.database)];
const bytes = Buffer.from(leaving.replaceAll('-', ''), 'hex');
const traces: string[] = [];
for (const key of await store.keys()) if ((await store.get(key))?.includes(bytes)) traces.push(key);
const proofs = await s.database.query(
  "select from auth.audit_entry where action = 'destination.user_erased' and user_id = $1",
  [leaving],
);
const minutes = Math.round((performance.now() - began) / 6000) / 10;
t.comment(JSON.stringify({ kills, minutes, commits, changes: state.changes, rows: wanted.length }));

t.ok(commits >= kills / 4, 'it has committed between the kills');
t.same(found.length, wanted.length);
t.same(
  found.filter((line, at) => line !== wanted[at]).slice(0, 10),
  [],
  'each row of the database is there once, as it is',
);
t.same(traces, [], 'the deleted user has left no trace');
t.ok(proofs.length > 0);
