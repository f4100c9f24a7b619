import { EventEmitter } from 'node:events';
import t from 'tap';
import { ServiceError } from '../../../domain/errors.ts';
import {
  type Channel,
  ownWindows,
  serveWindows,
  workerWindows,
} from '../../../services/api-gateway/work/windows.ts';

const settings = {
  RATE_LIMIT_WEBHOOK: 100,
  RATE_LIMIT_FAILURES: 2,
  RATE_LIMIT_ADDRESS: 5,
  RATE_LIMIT_UPLOADS: 2,
  RATE_LIMIT_UPLOAD_ITEMS: 10,
};
const limits = { webhook: 100, failures: 2, rest: 5, uploads: 2, userUploads: 4, uploadItems: 10 };
const address = '192.0.2.1';

/** Both sides of a channel between processes: messages arrive later, as copies. */
function newChannel() {
  const [primary, worker] = [new EventEmitter(), new EventEmitter()];
  const side = (own: EventEmitter, other: EventEmitter): Channel => ({
    send: (message) => setImmediate(() => other.emit('message', JSON.parse(JSON.stringify(message)))),
    onMessage: (listener) => own.on('message', listener),
    onDisconnect: (listener) => own.once('disconnect', listener),
  });
  return {
    primary: side(primary, worker),
    worker: side(worker, primary),
    cut: () => worker.emit('disconnect'),
  };
}

function startWorkers(count: number) {
  const windows = ownWindows(settings);
  return Array.from({ length: count }, () => {
    const { primary, worker, cut } = newChannel();
    serveWindows(primary, windows);
    return { windows: workerWindows(worker, limits), cut, primary };
  });
}

t.test('workers together allow the limit of an address exactly', async (t) => {
  const workers = startWorkers(3);
  const hits = Array.from({ length: 12 }, (_, index) =>
    workers[index % 3]?.windows.rest.hit(address, Date.now()),
  );
  const counted = await Promise.all(hits);
  t.equal(counted.filter((window) => window?.allowed === true).length, 5);
  t.same(counted.map((window) => window?.remaining).slice(0, 6), [4, 3, 2, 1, 0, 0]);
  const other = await workers[0]?.windows.rest.hit('192.0.2.2', Date.now());
  t.match(other, { allowed: true, remaining: 4 });
});

t.test('items are counted together in all workers', async (t) => {
  const [a, b] = startWorkers(2);
  t.match(await a?.windows.uploadItems.hit('u', Date.now(), 7), { allowed: true, remaining: 3 });
  t.match(await b?.windows.uploadItems.hit('u', Date.now(), 7), { allowed: false, remaining: 0 });
  t.match(b?.windows.uploadItems.peek('u', Date.now()), { allowed: false });
});

t.test('a refund in one worker counts in the others', async (t) => {
  const [a, b] = startWorkers(2);
  for (const worker of [a, b]) await worker?.windows.failures.hit(address, Date.now());
  t.match(await a?.windows.failures.refund(address, Date.now()), { remaining: 1 });
  t.match(await b?.windows.failures.hit(address, Date.now()), { allowed: true, remaining: 0 });
  t.match(await a?.windows.failures.hit(address, Date.now()), { allowed: false });
});

t.test('peek returns the last answer about an address', async (t) => {
  const [worker] = startWorkers(1);
  t.match(worker?.windows.rest.peek(address, Date.now()), { limit: 5, remaining: 5 });
  await worker?.windows.rest.hit(address, Date.now());
  t.match(worker?.windows.rest.peek(address, Date.now()), { limit: 5, remaining: 4 });
  t.match(worker?.windows.rest.peek(address, Date.now() + 61_000), { remaining: 5 });
});

t.test('a worker without its primary answers 503', async (t) => {
  const [worker] = startWorkers(1);
  const waiting = worker?.windows.rest.hit(address, Date.now());
  worker?.cut();
  const refusal = new ServiceError('SERVICE_UNAVAILABLE');
  await t.rejects(Promise.resolve(waiting), refusal);
  await t.rejects(Promise.resolve(worker?.windows.rest.hit(address, Date.now())), refusal);
});

t.test('the primary ignores other messages', async (t) => {
  const [worker] = startWorkers(1);
  for (const message of [{ ready: true }, { window: 'rest' }, {}]) worker?.primary.send(message);
  t.match(await worker?.windows.rest.hit(address, Date.now()), { remaining: 4 });
});
