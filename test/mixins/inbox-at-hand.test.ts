import { randomUUID } from 'node:crypto';
import t from 'tap';
import { inboxOn } from '../../mixins/inbox/inbox.ts';
import { expectBodies, keepAtHand, takeFromHand } from '../../mixins/inbox/inbox-at-hand.ts';
import { freshDatabase } from '../support/servers/database.ts';

const mebibyte = 1024 * 1024;

t.test('a body is kept where somebody works on its provider, and handed over once', async (t) => {
  const body = Buffer.from('x');
  const provider = randomUUID();
  keepAtHand(provider, 'early', body);
  t.equal(takeFromHand('early'), undefined);
  const expectNoMore = expectBodies(provider);
  keepAtHand(provider, 'a', body);
  t.equal(takeFromHand('a'), body);
  t.equal(takeFromHand('a'), undefined);
  expectNoMore();
  keepAtHand(provider, 'late', body);
  t.equal(takeFromHand('late'), undefined);
});

t.test('no more are kept than 128 MB, and there is room again when they are taken', async (t) => {
  const provider = randomUUID();
  expectBodies(provider);
  const large = Buffer.alloc(100 * mebibyte);
  keepAtHand(provider, 'first', large);
  keepAtHand(provider, 'second', large);
  keepAtHand(provider, 'small', Buffer.from('x'));
  t.equal(takeFromHand('second'), undefined);
  t.equal(takeFromHand('first')?.length, large.length);
  keepAtHand(provider, 'third', large);
  t.equal(takeFromHand('third')?.length, large.length);
  t.equal(takeFromHand('small')?.length, 1);
});

t.test('what was handed over is read without its row, what was let go from it', async (t) => {
  const database = await freshDatabase(t);
  const inbox = inboxOn(database);
  expectBodies('devicemaker');
  const receive = (handOver: boolean) =>
    inbox.receive({
      provider: 'devicemaker',
      kind: 'push',
      headers: {},
      body: Buffer.from('sent'),
      handOver,
    });
  const [own, kept, letGo] = [await receive(false), await receive(true), await receive(true)];
  inbox.letGo(letGo);
  await database.query("update deliveries.delivery set body = 'row!'");
  const read = async (id: string) => (await inbox.readBody({ id, body_bytes: 4 })).toString();
  t.same([await read(own), await read(kept), await read(letGo)], ['row!', 'sent', 'row!']);
  t.equal(await read(kept), 'row!', 'a second reader finds the row');
});
