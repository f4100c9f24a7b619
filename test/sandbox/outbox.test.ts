import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { z } from 'zod';
import { createFaults } from '../../sandbox/server/faults.ts';
import { openOutbox } from '../../sandbox/server/outbox.ts';
import { openStore } from '../../sandbox/server/store.ts';
import { startClock } from '../../sandbox/simulation/clock.ts';

const Address = z.object({ port: z.number() });

t.test('after answers that did not come in time one request is sent at once', async (t) => {
  const open = new Set<ServerResponse>();
  let mode: 'silent' | 'answers' = 'silent';
  let beforeFirstAnswer = 0;
  let answers = 0;
  const server = createServer(async (incoming, response) => {
    incoming.resume();
    if (mode === 'silent') return;
    open.add(response);
    if (answers === 0) beforeFirstAnswer = Math.max(beforeFirstAnswer, open.size);
    await sleep(50);
    answers += 1;
    open.delete(response);
    response.end();
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const url = new URL(`http://127.0.0.1:${Address.parse(server.address()).port}/`);
  const clock = startClock({ startMs: 0, speed: 0 });
  const store = openStore(null, 'a seed');
  const policy = { answerWithinMs: 50, attempts: 100, firstGapMs: 1000, longestGapMs: 1000 };
  const outbox = openOutbox({
    ...{ clock, store, faults: createFaults(clock, 'a seed') },
    senderOf: () => ({
      delivery: policy,
      isReady: () => true,
      post: () => ({ url, headers: {}, body: '{}' }),
      acknowledged: () => undefined,
      invalidNotification: (contents) => contents,
    }),
  });
  t.teardown(async () => {
    await outbox.stop();
    clock.stop();
    server.closeAllConnections();
    server.close();
  });
  for (let index = 0; index < 8; index++) outbox.add('devicemaker', { kind: 'push' });
  await outbox.pump();
  t.match(store.state.counts, { posts: 8, acknowledged: 0 }, 'each was sent once without an answer');
  mode = 'answers';
  policy.answerWithinMs = 60_000;
  await clock.advance(1000);
  await outbox.pump();
  t.equal(beforeFirstAnswer, 1);
  t.match(store.state.counts, { posts: 16, acknowledged: 8 }, 'all arrived');
});
