import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { serviceNames } from '../../stack/processes/services.ts';
import { startMoveIn } from '../support/move-in/command.ts';
import { sourceDatabase } from '../support/move-in/source-database.ts';
import {
  addRecord,
  addSamples,
  addSource,
  addUser,
  insert,
  seriesIds,
} from '../support/move-in/source-rows.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';
import { startCluster } from './support/cluster.ts';

/**
 * An installation of MOVE_IN_SAMPLES samples is moved in while the command is killed MOVE_IN_KILLS times at random instants. Then both
 * sides are counted, and the command runs once more, which must change nothing.
 */
t.setTimeout(0);

const samples = Number(process.env.MOVE_IN_SAMPLES ?? 5_000_000);
const kills = Number(process.env.MOVE_IN_KILLS ?? 20);
const users = Math.max(4, Math.min(40, Math.round(samples / 100_000)));
const longestRunMs = 8000;
const mostMemoryMb = 300;
const stepSeconds = 30;

const groups = { store: ['timeseries'], rest: serviceNames.filter((name) => name !== 'timeseries') };
const [database, source] = [await freshDatabase(t), await sourceDatabase(t)];
const namespace = randomUUID();
const copies = { store: 1, rest: 1 };
await startCluster(t, { database, natsUrl: natsUrl(), namespace, groups, copies, people: 0 });
const folder = mkdtempSync(join(tmpdir(), 'pulsebus-move-in-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));
await fill();

// A quarter of all samples is one user's, whose week fits into no call.
async function fill(): Promise<void> {
  for (let user = 0; user < users; user += 1) {
    const id = await addUser(source, { external_user_id: `user-${user}` });
    const own = await addSource(source, id, 'garmin', { device_model: 'Forerunner 965' });
    const share = user === 0 ? samples / 4 : (samples * 3) / 4 / (users - 1);
    const start = '2025-01-06T00:00:00Z';
    const given = { source: own, start, count: Math.round(share / 2), step_seconds: stepSeconds };
    await addSamples(source, { ...given, series: seriesIds.heartRate });
    await addSamples(source, { ...given, series: seriesIds.steps });
    for (let day = 0; day < 20; day += 1) {
      const date = new Date(Date.UTC(2025, 0, 6 + day)).toISOString().slice(0, 10);
      const record = await addRecord(source, own, {
        ...{ external_id: `${user}${day}`, category: 'workout', type: 'running', duration_seconds: 3600 },
        ...{ start_datetime: `${date}T06:00:00Z`, end_datetime: `${date}T07:00:00Z`, zone_offset: '+00:00' },
      });
      await insert(source, 'workout_details', { record_id: record, heart_rate_avg: 140, distance: 10_000 });
    }
  }
  await source.query('vacuum analyze data_point_series');
}

const settings = { NATS_URL: natsUrl(), NAMESPACE: namespace, DATABASE_URL: database.url };
const args = [source.url, '--report', folder];

/** What is stored: the number of samples and records, and a sum over them that a changed row changes. */
async function stored() {
  const [row] = await database.query(
    `select (select count(*)::int from timeseries.sample) as samples,
      (select sum(value) from timeseries.sample) as sum,
      (select count(*)::int from timeseries.workout) as workouts,
      (select md5(string_agg(id::text, ',' order by id)) from timeseries.workout) as ids,
      (select count(*)::int from timeseries.item) as items,
      (select count(*)::int from users.person) as users`,
  );
  return row;
}

t.test(`${samples} samples and ${kills} kills: everything is there once`, async (t) => {
  let killed = 0;
  let peakMb = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const run = startMoveIn(args, settings);
    const ended = await Promise.race([run.ended, sleep(500 + Math.random() * longestRunMs)]);
    peakMb = Math.max(peakMb, run.peakMb());
    if (ended === undefined) {
      run.child.kill('SIGKILL');
      killed += 1;
    } else t.equal(ended.code, 0, ended.output);
    await run.ended;
  }
  const last = startMoveIn(args, settings);
  const { code, output } = await last.ended;
  t.equal(code, 0, output);
  t.match(output, 'Compared both sides: 0 differences');
  t.comment(`${killed} kills; at most ${Math.max(peakMb, last.peakMb())} MB`);
  const [there] = await source.query<{ n: number }>('select count(*)::int as n from data_point_series');
  t.match(await stored(), { samples: there?.n, workouts: 20 * users, users });
});

t.test('a second run changes nothing', async (t) => {
  const before = await stored();
  const beganMs = performance.now();
  const run = startMoveIn(args, settings);
  const { code, output } = await run.ended;
  t.equal(code, 0, output);
  t.comment(
    `second run: ${Math.round((performance.now() - beganMs) / 1000)} s, ${run.peakMb()} MB\n${output}`,
  );
  t.same(await stored(), before);
  t.notMatch(readFileSync(join(folder, 'left-out.ndjson'), 'utf8'), '"outcome":"left"');
});

t.test('a run into an empty database', async (t) => {
  const fresh = await freshDatabase(t);
  const other = randomUUID();
  await startCluster(t, { database: fresh, natsUrl: natsUrl(), namespace: other, groups, copies, people: 0 });
  const empty = mkdtempSync(join(tmpdir(), 'pulsebus-move-in-'));
  t.teardown(() => rmSync(empty, { recursive: true, force: true }));
  const beganMs = performance.now();
  const run = startMoveIn([source.url, '--report', empty], {
    ...settings,
    NAMESPACE: other,
    DATABASE_URL: fresh.url,
  });
  const { code, output } = await run.ended;
  const seconds = (performance.now() - beganMs) / 1000;
  t.equal(code, 0, output);
  t.comment(
    `${Math.round(samples / seconds)} samples/s in ${Math.round(seconds)} s, at most ${run.peakMb()} MB\n${output}`,
  );
  t.ok(run.peakMb() < mostMemoryMb, `${run.peakMb()} MB`);
});
