import t from 'tap';
import { connectPeople } from '../../sandbox/connecting.ts';
import { history, pictures, whole } from './whole.ts';

const minuteMs = 60_000;
/** One with every data type, one whose device has fewer, one at both providers. */
const who = [0, 4, 5];

t.setTimeout(110_000);

t.test('what the providers sent is what is there, item by item: history, then live', async (t) => {
  const all = await whole(t, who);
  const connected = await connectPeople(all.connecting);
  t.equal(connected.length, who.length + 1, 'one of them twice');
  await history(all, connected);
  for (const { title, want, have } of await pictures(all, connected)) {
    t.same(have, want, `history of ${title}`);
    t.ok(Object.keys(want.samples).length > 12 && want.workouts.length > 0);
  }
  await all.sandbox.turn(4 * 60 * minuteMs);
  all.sandbox.world.store.book.application = { ...all.sandbox.world.store.book.application, style: 'ping' };
  await all.sandbox.turn(2 * 60 * minuteMs);
  for (const { title, want, have } of await pictures(all, connected))
    t.same(have, want, `live data of ${title}`);
  t.same(await connectPeople(all.connecting), connected, 'who is connected stays so');
});
