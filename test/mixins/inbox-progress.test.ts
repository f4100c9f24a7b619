import t from 'tap';
import { inboxOn } from '../../mixins/inbox/inbox.ts';
import { freshDatabase } from '../support/servers/database.ts';

const database = await freshDatabase(t);
const inbox = inboxOn(database);

/** A delivery at work, as its holder knows it. */
async function held() {
  const body = Buffer.from('{}');
  const id = await inbox.receive({ provider: 'devicemaker', kind: 'ping', headers: {}, body });
  const lease = await inbox.take('devicemaker', id);
  if (lease === null) throw new Error('the delivery was taken by somebody else');
  return lease;
}

async function takenOver(id: string) {
  await database.query(`update deliveries.delivery set run_at = now() - interval '1 second' where id = $1`, [
    id,
  ]);
  const [lease] = await inbox.claim('devicemaker', 1);
  if (lease === undefined) throw new Error('the delivery was not due');
  return lease;
}

t.test('keeps bodies byte for byte and results as they are, entry by entry', async (t) => {
  const lease = await held();
  const progress = inbox.progressOf(lease);
  const body = Buffer.from([0, 255, 92, 10]);
  t.ok(await progress.keepBody('dailies[0]', body));
  t.ok(await progress.keepResult('dailies[0]', { n: 1, text: "it's" }));
  t.ok(await progress.keepResult('sleeps[0]', null));
  t.ok(await progress.keepBody('sleeps[1]', body));
  t.same(await progress.readBody('dailies[0]'), body);
  t.equal(await progress.readBody('sleeps[0]'), null);
  t.equal(await progress.readBody('sleeps[2]'), null);
  t.same(
    await progress.read(),
    new Map([
      ['dailies[0]', { hasBody: true, result: { n: 1, text: "it's" } }],
      ['sleeps[0]', { hasBody: false, result: null }],
      ['sleeps[1]', { hasBody: true, result: null }],
    ]),
  );
  t.same(await inbox.progressOf(await held()).read(), new Map(), 'each delivery has its own');
});

t.test('reads a body of several slices whole, and an empty one', async (t) => {
  const progress = inbox.progressOf(await held());
  const body = Buffer.alloc(16 * 1024 * 1024, 'health data is text;');
  body[8 * 1024 * 1024] = 1;
  await progress.keepBody('large', body);
  await progress.keepBody('empty', Buffer.alloc(0));
  t.ok((await progress.readBody('large'))?.equals(body));
  t.equal((await progress.readBody('empty'))?.length, 0);
});

t.test('goes on where the attempt before ended, whose holder has nothing more to say', async (t) => {
  const first = await held();
  const before = inbox.progressOf(first);
  await before.keepResult('dailies[0]', 1);
  const second = await takenOver(first.id);
  const after = inbox.progressOf(second);
  t.same(await after.read(), new Map([['dailies[0]', { hasBody: false, result: 1 }]]));
  t.notOk(await before.keepResult('dailies[0]', 2));
  t.notOk(await before.keepBody('dailies[1]', Buffer.from('x')));
  t.ok(await after.keepResult('dailies[0]', 3));
  t.same(await after.read(), new Map([['dailies[0]', { hasBody: false, result: 3 }]]));
  await inbox.finish(second.id, second.attempt, {});
  t.notOk(await after.keepResult('dailies[0]', 4), 'nor has one that is done');
});

t.test('a replay finds the bodies and not the results', async (t) => {
  const first = await held();
  await inbox.progressOf(first).keepBody('dailies[0]', Buffer.from('x'));
  await inbox.progressOf(first).keepResult('dailies[0]', 1);
  await database.query(`update deliveries.delivery set replayed_at = now(), state = 'ready' where id = $1`, [
    first.id,
  ]);
  const again = inbox.progressOf(await takenOver(first.id));
  t.same(await again.read(), new Map([['dailies[0]', { hasBody: true, result: null }]]));
  await again.keepResult('dailies[0]', 2);
  t.same(await again.read(), new Map([['dailies[0]', { hasBody: true, result: 2 }]]));
});

t.test('goes with its delivery', async (t) => {
  const lease = await held();
  await inbox.progressOf(lease).keepBody('dailies[0]', Buffer.from('x'));
  await database.query('delete from deliveries.delivery where id = $1', [lease.id]);
  t.same(await database.query('select * from deliveries.progress where delivery_id = $1', [lease.id]), []);
});

t.test('a claim for one kind leaves the others', async (t) => {
  await database.query('truncate deliveries.delivery cascade');
  const body = Buffer.from('{}');
  const receive = (kind: string, provider = 'devicemaker') =>
    inbox.receive({ provider, kind, headers: {}, body });
  const push = await receive('push');
  const ping = await receive('ping');
  await receive('ping', 'activitynet');
  await database.query(`update deliveries.delivery set run_at = now() - interval '1 second'`);
  const ids = async (kind?: string) =>
    (await inbox.claim('devicemaker', 10, 30_000, kind)).map(({ id }) => id);
  t.same(await ids('push'), [push]);
  t.same(await ids('event'), []);
  t.same(await ids(), [ping]);
});
