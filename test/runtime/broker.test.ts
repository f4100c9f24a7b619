import t from 'tap';
import { natsOptions } from '../../runtime/broker.ts';

t.test('the credentials of NATS_URL become options: none, a token, or user and password', (t) => {
  for (const [credentials, options] of [
    ['', {}],
    ['a%2Fb@', { token: 'a/b' }],
    ['me:p%40ss@', { user: 'me', pass: 'p@ss' }],
  ] as const)
    t.same(natsOptions(`nats://${credentials}bus.example:4222`), {
      servers: 'nats://bus.example:4222',
      maxReconnectAttempts: -1,
      ...options,
    });
  t.end();
});
