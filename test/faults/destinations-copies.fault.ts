// kill -9 of the process that writes destinations of the kinds postgres and jetstream, while data of all kinds changes and a user is
// deleted. Afterwards the tables, and what a consumer makes of the stream, have each row of the database once, and nothing of the
// deleted user. DESTINATIONS_KILLS is the number of kills, DESTINATIONS_SEED repeats the random choices.
import t from 'tap';
import { rowsInDatabase } from '../services/destinations/manifest-rows.ts';
import { startDestinations } from '../services/destinations/setting.ts';
import { rowsInStream } from '../services/destinations/stream-rows.ts';
import { rowsInTables, settingsOf, tracesInTables } from '../services/destinations/table-rows.ts';
import { freshDatabase } from '../support/servers/database.ts';
import { startJetstream } from '../support/servers/jetstream.ts';
import { killCopies } from './destinations/killed-copies.ts';

t.setTimeout(0);

const kills = Number(process.env.DESTINATIONS_KILLS ?? 20);
const seed = Number(process.env.DESTINATIONS_SEED ?? Date.now() % 1_000_000);
t.comment(`DESTINATIONS_SEED=${seed}`);
const server = await startJetstream(t);
await server.addStream({});
const target = await freshDatabase(t);
const tables = settingsOf(target.url);
const settings = { DESTINATION_HOSTS: `${tables.host},${server.host}` };
// This process takes the calls. The others write.
const s = await startDestinations(t, settings, { pace: { parallel: 0 } });
const kinds = [
  ['postgres', tables.settings],
  ['jetstream', server.settings],
] as const;
const ids: string[] = [];
for (const [kind, own] of kinds) ids.push((await s.call('destinations.create', { kind, settings: own })).id);
const positions = new Set<string>();
const { leaving, changes } = await killCopies(t, s, ids, {
  ...{ kills, seed, settings },
  async onKill() {
    for (const { id, position } of await s.database.query<{ id: string; position: string }>(
      'select id, position from destinations.destination',
    ))
      positions.add(`${id} ${position}`);
  },
});
const wanted = await rowsInDatabase(s.database);
const found = {
  postgres: await rowsInTables(target, 'copy'),
  jetstream: await rowsInStream(server, 'HEALTH'),
};
const rowsLeft = await tracesInTables(target, 'copy', leaving);
const messages = await server.messages('HEALTH');
const traces = messages.filter(({ subject, text }) => text.includes(leaving) && !subject.endsWith('.erased'));
const proofs = await s.database.query(
  "select from auth.audit_entry where action = 'destination.user_erased' and user_id = $1",
  [leaving],
);
const figures = { kills, changes, rows: wanted.length, positions: positions.size, messages: messages.length };
t.comment(JSON.stringify(figures));

t.ok(positions.size >= kills / 2, 'both have committed between the kills');
for (const [kind, lines] of Object.entries(found)) {
  t.equal(lines.length, wanted.length, kind);
  t.same(
    lines.filter((line, at) => line !== wanted[at]).slice(0, 10),
    [],
    `${kind}: each row of the database is there once, as it is`,
  );
}
t.equal(rowsLeft, 0);
t.same(traces, [], 'the deleted user has left no message');
t.ok(proofs.length >= 2);
