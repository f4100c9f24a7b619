import t from 'tap';
import { loadConfig } from '../../config.ts';
import { busUserOf, natsOptions } from '../../runtime/nats-options.ts';

t.test('the credentials of NATS_URL become options: none, a token, or user and password', (t) => {
  for (const [credentials, options, user] of [
    ['', {}, ''],
    ['a%2Fb@', { token: 'a/b' }, ''],
    ['me:p%40ss@', { user: 'me', pass: 'p@ss' }, 'me'],
  ] as const) {
    const url = `nats://${credentials}bus.example:4222`;
    t.match(natsOptions({ NATS_URL: url }), { servers: ['nats://bus.example:4222'], ...options });
    t.equal(busUserOf(url), user);
  }
  t.notOk('user' in natsOptions({ NATS_URL: 'nats://bus.example' }));
  t.end();
});

t.test('several servers share the credentials of the first that has some', (t) => {
  const { NATS_URL } = config({ NATS_URL: 'nats://a:4222, nats://me:pass@b:4222 ,nats://c:4222' });
  t.match(natsOptions({ NATS_URL }), {
    servers: ['nats://a:4222', 'nats://b:4222', 'nats://c:4222'],
    user: 'me',
    pass: 'pass',
  });
  t.end();
});

t.test('TLS is used for a tls:// server, and where an authority is given', (t) => {
  t.notOk('tls' in natsOptions({ NATS_URL: 'nats://a' }));
  t.same(natsOptions({ NATS_URL: 'tls://a' }).tls, {});
  t.same(
    natsOptions(config({ NATS_URL: 'nats://a', NATS_CA: 'ca', NATS_CERT: 'cert', NATS_KEY: 'key' })).tls,
    {
      caFile: 'ca',
      certFile: 'cert',
      keyFile: 'key',
    },
  );
  t.end();
});

t.test('each of the servers must be a NATS URL', (t) => {
  for (const NATS_URL of ['http://a', 'nats://a,http://b', 'nats://', 'nats://a,nats://b c', ','])
    t.throws(() => config({ NATS_URL }), /NATS_URL: must be nats/, NATS_URL);
  t.end();
});

function config(settings: Readonly<Record<string, string>>) {
  const secret = 'a secret of the tests with 32 characters and more';
  return loadConfig({ JWT_SECRET: secret, ENCRYPTION_KEY: secret, ...settings });
}
