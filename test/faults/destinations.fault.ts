// kill -9 of the process that writes destinations of all kinds, while data of all kinds changes and a user is deleted. Afterwards each has
// each row of the database once, and nothing of the deleted user: files, read by DuckDB as the manifest names them; tables; and
// what a consumer makes of the stream.
// DESTINATIONS_KILLS is the number of kills, DESTINATIONS_SEED repeats the random choices.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { rowsInDatabase } from '../services/destinations/manifest-rows.ts';
import { startDestinations } from '../services/destinations/setting.ts';
import { rowsInStream } from '../services/destinations/stream-rows.ts';
import { rowsInTables, settingsOf, tracesInTables } from '../services/destinations/table-rows.ts';
import { freshDatabase } from '../support/servers/database.ts';
import { startJetstream } from '../support/servers/jetstream.ts';
import { startS3Store } from '../support/servers/s3-store.ts';
import { rowsByDuckDb } from './destinations/duckdb.ts';
import { killCopies } from './destinations/killed-copies.ts';

t.setTimeout(0);

const kills = Number(process.env.DESTINATIONS_KILLS ?? 20);
const seed = Number(process.env.DESTINATIONS_SEED ?? Date.now() % 1_000_000);
t.comment(`DESTINATIONS_SEED=${seed}`);
const store = await startS3Store();
t.teardown(store.stop);
const server = await startJetstream(t);
await server.addStream({});
const target = await freshDatabase(t);
const tables = settingsOf(target.url);
const settings = { DESTINATION_HOSTS: `${store.host},${tables.host},${server.host}` };
// This process takes the calls. The others write.
const s = await startDestinations(t, settings, { pace: { parallel: 0 } });
const kinds = [
  ['s3', { ...store.settings, prefix: 'copy', interval_seconds: 1 }],
  ['postgres', tables.settings],
  ['jetstream', server.settings],
] as const;
const ids: string[] = [];
for (const [kind, own] of kinds) ids.push((await s.call('destinations.create', { kind, settings: own })).id);
const commits = { s3: new Set(), postgres: new Set(), jetstream: new Set() };
const { leaving, changes } = await killCopies(t, s, ids, {
  ...{ kills, seed, settings },
  async onKill() {
    const rows = await s.database.query<{ kind: keyof typeof commits; version: string }>(
      'select kind, version from destinations.destination where version > 0',
    );
    for (const { kind, version } of rows) commits[kind].add(version);
  },
});

const folder = await mkdtemp(join(tmpdir(), 'pulsebus-duckdb-'));
t.teardown(() => rm(folder, { recursive: true }));
const wanted = await rowsInDatabase(s.database);
const found = {
  s3: await rowsByDuckDb(store, 'copy', folder),
  postgres: await rowsInTables(target, 'copy'),
  jetstream: await rowsInStream(server, 'HEALTH'),
};
const bytes = Buffer.from(leaving.replaceAll('-', ''), 'hex');
const traces: string[] = [];
for (const key of await store.keys()) if ((await store.get(key))?.includes(bytes)) traces.push(key);
for (const { subject, text } of await server.messages('HEALTH'))
  if (text.includes(leaving) && !subject.endsWith('.erased')) traces.push(subject);
const rowsLeft = await tracesInTables(target, 'copy', leaving);
const proofs = await s.database.query(
  "select distinct subject_id from auth.audit_entry where action = 'destination.user_erased' and user_id = $1",
  [leaving],
);
const seen = Object.fromEntries(Object.entries(commits).map(([kind, versions]) => [kind, versions.size]));
t.comment(JSON.stringify({ kills, changes, rows: wanted.length, commits: seen }));

for (const [kind, lines] of Object.entries(found)) {
  t.ok((seen[kind] ?? 0) >= kills / 4, `${kind}: it has committed between the kills`);
  t.equal(lines.length, wanted.length, kind);
  t.same(
    lines.filter((line, at) => line !== wanted[at]).slice(0, 10),
    [],
    `${kind}: each row of the database is there once, as it is`,
  );
}
t.same(traces, [], 'the deleted user has left no object and no message');
t.equal(rowsLeft, 0);
t.equal(proofs.length, ids.length);
