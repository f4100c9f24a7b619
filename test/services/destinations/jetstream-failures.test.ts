import { DiscardPolicy } from 'nats';
import t, { type Test } from 'tap';
import { dayMs } from '../../../domain/time/time.ts';
import { startJetstream } from '../../support/servers/jetstream.ts';
import { selfSigned } from '../../support/servers/self-signed.ts';
import { rowsInDatabase } from './manifest-rows.ts';
import { heart, old, storeAll } from './scenario.ts';
import { startDestinations } from './setting.ts';
import { applied, rowsInStream, StreamMessage } from './stream-rows.ts';

const server = await startJetstream(t);
const certificate = selfSigned('localhost');
const secure = await startJetstream(t, certificate);
const port = secure.host.split(':')[1];
const s = await startDestinations(
  t,
  { DESTINATION_HOSTS: [server.host, secure.host, `localhost:${port}`, '127.0.0.1:9'].join() },
  { resolve: async () => [{ address: '10.0.0.7', family: 4 }] },
);
const user = await storeAll(s);
const create = (changed: Record<string, unknown> = {}) =>
  s.call('destinations.create', { kind: 'jetstream', settings: { ...server.settings, ...changed } });
const isSame = async (t: Test, id: string, stream = 'HEALTH', of = server) => {
  await s.written(id);
  t.same(await rowsInStream(of, stream), await rowsInDatabase(s.database));
};
await server.addStream({});

t.afterEach(async () => {
  for (const { id } of await s.call('destinations.list', {}))
    await s.call('destinations.remove', { destination_id: id });
});

t.test('each failure of a stream is a state, and the others are written meanwhile', async (t) => {
  const cases: [Record<string, unknown>, string][] = [
    [{ password: 'another' }, 'credentials_refused'],
    [{ stream: 'NOT_THERE' }, 'missing'],
    [{ subject_prefix: 'elsewhere' }, 'missing'],
    [{ user: 'reader' }, 'not_permitted'],
    [{ servers: ['127.0.0.1:9'] }, 'unreachable'],
    [{ servers: ['store.example:4222'], tls: 'verify' }, 'address_refused'],
    [{ tls: 'verify' }, 'tls_failed'],
    [{ servers: [`localhost:${port}`], tls: 'verify' }, 'tls_failed'],
  ];
  const made: [string, string][] = [];
  for (const [changed, code] of cases) made.push([(await create(changed)).id, code]);
  const { id } = await create({ servers: ['127.0.0.1:9', server.host] });
  await isSame(t, id);
  for (const [failing, code] of made) {
    t.equal(await s.failure(failing), code);
    t.equal((await s.get(failing)).state, 'failing');
  }
});

t.test('a certificate of an authority of the settings is trusted, for its host only', async (t) => {
  await secure.addStream({});
  const tls = { tls: 'verify', tls_ca: certificate.cert };
  const { id } = await create({ servers: [`localhost:${port}`], ...tls });
  await isSame(t, id, 'HEALTH', secure);
  const { id: other } = await create({ servers: [secure.host], ...tls });
  t.equal(await s.failure(other), 'tls_failed');
});

t.test('a full stream is a state; what is missing follows when there is room', async (t) => {
  await server.addStream({ name: 'SMALL', subjects: ['small.>'], max_msgs: 3, discard: DiscardPolicy.New });
  const { id } = await create({ stream: 'SMALL', subject_prefix: 'small' });
  t.equal(await s.failure(id), 'full');
  await server.manager.streams.update('SMALL', { max_msgs: -1 });
  await isSame(t, id, 'SMALL');
  t.equal((await s.get(id)).last_error, null);
});

t.test('the only message of a part is acknowledged before the position moves', async (t) => {
  await server.addStream({ name: 'ONE', subjects: ['one.>'] });
  const given = { stream: 'ONE', subject_prefix: 'one' };
  const { id } = await s.call('destinations.create', {
    ...{ kind: 'jetstream', settings: { ...server.settings, ...given }, types: ['heart_rate'] },
  });
  await s.written(id);
  const { length } = await server.messages('ONE');
  await server.manager.streams.update('ONE', { max_msgs: length });
  await s.store(user, [heart(old + 29 * dayMs, 3)]);
  t.equal(await s.failure(id), 'full');
  await server.manager.streams.update('ONE', { max_msgs: -1 });
  await s.written(id);
  t.ok((await server.messages('ONE')).length > length);
});

t.test('messages are as small as the stream wants; a row that is larger is a state', async (t) => {
  const name = 'NARROW';
  await server.addStream({ name, subjects: ['narrow.>'], max_msg_size: 6000 });
  const { id } = await create({ stream: name, subject_prefix: 'narrow' });
  await isSame(t, id, name);
  const texts = (await server.messages(name)).map(({ text }) => text.length);
  t.ok(Math.max(...texts) < 6000);
  await s.store(user, [heart(old + 30 * dayMs, 180)]);
  await isSame(t, id, name);
  t.ok((await server.messages(name)).length > texts.length + 1);
  await server.manager.streams.update(name, { max_msg_size: 2200 });
  await s.store(user, [heart(old + 32 * dayMs, 9)]);
  t.equal(await s.failure(id), 'too_large');
});

t.test('a part that is sent again is stored once, and applies once outside the window', async (t) => {
  const name = 'AGAIN';
  await server.addStream({ name, subjects: ['again.>'] });
  const { id } = await create({ stream: name, subject_prefix: 'again' });
  await isSame(t, id, name);
  const before = await server.messages(name);
  await s.call('destinations.pause', { destination_id: id });
  await s.store(user, [heart(old + 33 * dayMs, 9)]);
  const again = 'update destinations.destination set position = 0, snapshot = null where id = $1';
  await s.database.query('update destinations.destination set snapshot = $2 where id = $1', [id, '{}']);
  await s.call('destinations.resume', { destination_id: id });
  await isSame(t, id, name);
  await s.database.query(again, [id]);
  await isSame(t, id, name);
  const after = await server.messages(name);
  t.equal(new Set(after.map(({ text }) => text)).size, after.length, 'no message is there twice');
  t.ok(after.length > before.length);
  const all = after.map(({ text }) => StreamMessage.parse(JSON.parse(text)));
  const twice = all.flatMap((one) => [one, one]);
  t.same(applied(twice), applied(all));
});
