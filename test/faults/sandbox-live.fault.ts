import t from 'tap';
import { connectUsers } from '../../sandbox/connect/connect-users.ts';
import { finishBackfills, snapshots, whole } from '../sandbox/product-with-sandbox.ts';
import { compareSamples, readExport, recordsOf } from '../sandbox/records.ts';

const minuteMs = 60_000;
/** A user with every data type, one whose device has fewer, and one with both providers. */
const who = [0, 4, 5];

t.setTimeout(200_000);

t.test('stored data equals the sent data item by item: backfill, then live data', async (t) => {
  const all = await whole(t, who);
  const connected = await connectUsers(all.connecting);
  t.equal(connected.length, who.length + 1, 'one of them twice');
  await finishBackfills(all, connected);
  for (const { title, want, have } of await snapshots(all, connected)) {
    t.same(have, want, `history of ${title}`);
    t.ok(Object.keys(want.samples).length > 12 && want.workouts.length > 0);
  }
  await all.sandbox.advance(4 * 60 * minuteMs);
  const { state } = all.sandbox.world.store;
  state.application = { ...state.application, style: 'ping' };
  await all.sandbox.advance(2 * 60 * minuteMs);
  for (const { title, want, have } of await snapshots(all, connected))
    t.same(have, want, `live data of ${title}`);
  const swimmer = connected.find(({ provider }) => provider === 'activitynet')?.user_id ?? '';
  const headers = { 'x-api-key': all.api.apiKey };
  const stored = await readExport(await fetch(`${all.api.url}/api/v1/users/${swimmer}/export`, { headers }));
  const ask = async (path: string) => (await fetch(all.sandbox.access.url + path)).json();
  const { lost, more, other, examples, compared } = await compareSamples(ask, 6, stored.series);
  t.same({ lost, more, other, examples }, { lost: 0, more: 0, other: 0, examples: [] }, 'value by value');
  t.ok(compared > 50_000);
  t.same(stored.records, await recordsOf(ask, 6), 'field by field');
  t.same(await connectUsers(all.connecting), connected, 'who is connected stays so');
});
