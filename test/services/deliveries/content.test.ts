import { randomUUID } from 'node:crypto';
import t from 'tap';
import { inboxOn } from '../../../mixins/inbox/inbox.ts';
import { itemErrorsIn, mostItemErrors } from '../../../services/deliveries/actions/deliveries.ts';
import deliveries from '../../../services/deliveries/deliveries.service.ts';
import { refusal } from '../../support/refusal.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const inbox = inboxOn(database);
const { call } = await startBroker(t, { databaseUrl: database.url, services: [deliveries] });
const receive = (body: Buffer, headers = {}) =>
  inbox.receive({ provider: 'devicemaker', kind: 'push', headers, body });

/** Answers a delivery. */
async function answer(id: string, value: unknown): Promise<void> {
  const lease = await inbox.take('devicemaker', id);
  await inbox.finish(id, lease?.attempt ?? 0, value);
}

/** The parts of a body, read one after another. */
async function parts(delivery_id: string, limit: number) {
  const read = [];
  for (let offset: number | null = 0; offset !== null; offset = read.at(-1)?.next_offset ?? null)
    read.push(await call('deliveries.body', { delivery_id, offset, limit }));
  return read;
}

t.test('a delivery has the errors of its items', async (t) => {
  const id = await receive(Buffer.from('{}'));
  t.match(await call('deliveries.get', { delivery_id: id }), { id, status: 'ready', item_errors: [] });
  await answer(id, {
    processed: 2,
    errors: ['dailies[0]: steps: must be a number'],
    wellness: { epochs: { errors: ['epochs[1]: is unknown'] } },
    deregistrations: { revoked: 0, errors: ['deregistrations[0]: userId: must be a text'] },
  });
  t.match(await call('deliveries.get', { delivery_id: id }), {
    ...{ id, status: 'done', error: null },
    item_errors: [
      'dailies[0]: steps: must be a number',
      'epochs[1]: is unknown',
      'deregistrations[0]: userId: must be a text',
    ],
  });
  await t.rejects(call('deliveries.get', { delivery_id: randomUUID() }), refusal('DELIVERY_NOT_FOUND'));
});

t.test('the reason of a skipped event is an error, the message of a processed one is none', (t) => {
  const skipped = { status: 'skipped', message: 'The body is no event.' };
  t.strictSame(itemErrorsIn(skipped), ['The body is no event.']);
  t.strictSame(itemErrorsIn({ status: 'processed', message: 'Activity 1, create.' }), []);
  for (const none of [null, 'errors', { errors: null }, []]) t.strictSame(itemErrorsIn(none), []);
  const many = { errors: Array.from({ length: 2 * mostItemErrors }, () => 'wrong') };
  t.equal(itemErrorsIn({ ...many, more: many }).length, mostItemErrors);
  t.end();
});

t.test('a body is read in parts that cut no character apart', async (t) => {
  const text = `{"name":"${'Größe 山田 😀 '.repeat(9)}"}`;
  const id = await receive(Buffer.from(text), { 'content-type': 'application/json' });
  const whole = await call('deliveries.body', { delivery_id: id });
  t.strictSame(whole, {
    ...{ delivery_id: id, content_type: 'application/json', body_bytes: Buffer.byteLength(text) },
    ...{ offset: 0, next_offset: null, encoding: 'utf-8', content: text },
  });
  for (const limit of [16, 17, 18, 19]) {
    const read = await parts(id, limit);
    t.ok(read.every(({ encoding }) => encoding === 'utf-8'));
    t.ok(read.length > 5);
    t.equal(read.map(({ content }) => content).join(''), text);
  }
  const past = await call('deliveries.body', { delivery_id: id, offset: 10_000 });
  t.match(past, { content: '', next_offset: null });
});

t.test('a body that is not text is base64', async (t) => {
  const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x80, ...Array.from({ length: 30 }, () => 0xc3)]);
  const id = await receive(bytes);
  const read = await parts(id, 16);
  t.strictSame(
    read.map(({ offset }) => offset),
    [0, 16, 32],
  );
  const decoded = read.map(({ content, encoding }) =>
    Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8'),
  );
  t.strictSame(Buffer.concat(decoded), bytes);
});

t.test('each read leaves an entry, and a refused one leaves none', async (t) => {
  const id = await receive(Buffer.from('{"a":1}'));
  const entries = () =>
    database.query(
      "select subject_id, user_id, details from auth.audit_entry where action = 'delivery.read' and subject_id = $1",
      [id],
    );
  await call('deliveries.body', { delivery_id: id });
  await call('deliveries.body', { delivery_id: id, offset: 2 });
  const details = { provider: 'devicemaker', kind: 'push' };
  const expected = [0, 2].map((offset) => ({
    subject_id: id,
    user_id: null,
    details: { ...details, offset },
  }));
  t.strictSame(await entries(), expected);
  await database.query("update deliveries.delivery set erased_at = now(), body = '' where id = $1", [id]);
  await t.rejects(call('deliveries.body', { delivery_id: id }), refusal('DELIVERY_ERASED'));
  await t.rejects(call('deliveries.body', { delivery_id: randomUUID() }), refusal('DELIVERY_NOT_FOUND'));
  t.strictSame(await entries(), expected);
});

t.test('a body is not read while an erasure has still to search it', async (t) => {
  const id = await receive(Buffer.from('{"a":1}'));
  const [before, after] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];
  const read = () => call('deliveries.body', { delivery_id: id });
  const erasure = async (
    provider: string,
    until: string,
    row: { place?: string; passed?: boolean; waiting?: string[] },
  ) => {
    await database.query('delete from deliveries.erasure');
    await database.query(
      `insert into deliveries.erasure (provider, provider_user_id, received_until, place, passed, waiting, run_at)
       values ($1, 'account', now() + $2::interval, $3, $4, $5, now() + interval '1 hour')`,
      [provider, until, row.place ?? before, row.passed ?? false, row.waiting ?? []],
    );
  };
  await erasure('devicemaker', '1 minute', {});
  await t.rejects(read(), refusal('DELIVERY_BEING_ERASED'));
  await erasure('devicemaker', '1 minute', { place: after });
  t.match(await read(), { content: '{"a":1}' }, 'the erasure has passed it');
  await erasure('devicemaker', '1 minute', { place: after, passed: true, waiting: [id] });
  await t.rejects(read(), refusal('DELIVERY_BEING_ERASED'));
  await erasure('devicemaker', '-1 day', {});
  t.match(await read(), { content: '{"a":1}' }, 'the delivery arrived later');
  await erasure('activitynet', '1 minute', {});
  t.match(await read(), { content: '{"a":1}' }, 'the erasure is of another provider');
});
