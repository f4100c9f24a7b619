import t from 'tap';
import { createHashingQueue } from '../../../services/auth/work/passwords.ts';
import { refusal } from '../../support/refusal.ts';

/** A queue whose work ends on demand; `order` has what began. */
function queueOf(bounds: { atOnce: number; mostWaiting: number; reserved?: number; mostWaitMs?: number }) {
  const inTurn = createHashingQueue({ reserved: 0, mostWaitMs: 3_600_000, ...bounds });
  const order: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string, address: string, isKnown = false) =>
    inTurn({ address, isKnown }, () => {
      order.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { ask, end, order };
}

t.test('each address computes one hash at a time, independently of others', async (t) => {
  const { ask, end, order } = queueOf({ atOnce: 2, mostWaiting: 10 });
  const all = [ask('a1', 'a'), ask('a2', 'a'), ask('b1', 'b')];
  t.same(order, ['a1', 'b1']);
  await end('b1');
  t.same(order, ['a1', 'b1'], 'a free place is not for the address that is at work');
  await end('a1');
  t.same(order, ['a1', 'b1', 'a2']);
  await end('a2');
  await Promise.all(all);
});

t.test('ranges take turns, and a new one is next', async (t) => {
  const { ask, end, order } = queueOf({ atOnce: 1, mostWaiting: 10 });
  const all = ['1', '2', '3'].flatMap((n) => [ask(`a${n}`, '192.0.2.1'), ask(`b${n}`, '198.51.100.1')]);
  for (const name of ['a1', 'b1', 'a2']) await end(name);
  all.push(ask('new', '2001:db8:1:1'), ask('other', '203.0.113.1'));
  for (const name of ['b2', 'new', 'other', 'a3', 'b3']) await end(name);
  t.same(order, ['a1', 'b1', 'a2', 'b2', 'new', 'other', 'a3', 'b3']);
  await Promise.all(all);
});

t.test('addresses of one range take turns within its turn', async (t) => {
  const { ask, end, order } = queueOf({ atOnce: 1, mostWaiting: 10 });
  const all = [ask('a1', '2001:db8:1:1'), ask('a2', '2001:db8:1:1'), ask('a3', '2001:db8:1:1')];
  all.push(ask('b1', '2001:db8:1:2'), ask('c1', '2001:db8:2:1'), ask('b2', '2001:db8:1:2'));
  const turns = ['a1', 'c1', 'b1', 'a2', 'b2', 'a3'];
  for (const name of turns) await end(name);
  t.same(order, turns);
  await Promise.all(all);
});

t.test('when too many wait, the newest of the address and range with the most is refused', async (t) => {
  const { ask, end, order } = queueOf({ atOnce: 1, mostWaiting: 3 });
  const all = [ask('a1', '192.0.2.1'), ask('a2', '192.0.2.1'), ask('b1', '192.0.2.2')];
  const often = ask('a3', '192.0.2.1');
  all.push(ask('c1', '203.0.113.1'));
  await t.rejects(often, refusal('RATE_LIMITED'));
  for (const name of ['a1', 'c1', 'b1', 'a2']) await end(name);
  t.same(order, ['a1', 'c1', 'b1', 'a2']);
  await Promise.all(all);
});

t.test('who waits too long is refused with the reason and the time of a next try', async (t) => {
  const { ask, end, order } = queueOf({ atOnce: 1, mostWaiting: 3, mostWaitMs: 1 });
  const first = ask('a1', '192.0.2.1');
  await t.rejects(ask('b1', '192.0.2.2', true), {
    ...refusal('RATE_LIMITED'),
    message:
      'Too many requests: more log-ins wait than can be checked within 1 second. Try again in 1 second.',
    data: { headers: { 'Retry-After': '1' } },
  });
  await end('a1');
  await first;
  t.same(order, ['a1']);
});

t.test('a known pair of account and address comes first; equal ones in order of arrival', async (t) => {
  const { ask, end, order } = queueOf({ atOnce: 1, mostWaiting: 100 });
  const strangers = Array.from({ length: 50 }, (_, at) => `s${at}`);
  const all = strangers.map((name) => ask(name, name));
  all.push(ask('known', 'k', true), ask('other', 'o'));
  for (const name of ['s0', 'known', ...strangers.slice(1), 'other']) await end(name);
  t.same(order, ['s0', 'known', ...strangers.slice(1), 'other']);
  await Promise.all(all);
});

t.test('a known pair is not refused while others wait', async (t) => {
  const { ask, end, order } = queueOf({ atOnce: 1, mostWaiting: 1 });
  const all = [ask('a', 'a'), ask('known', 'k', true)];
  await t.rejects(ask('b', 'b'), refusal('RATE_LIMITED'));
  for (const name of ['a', 'known']) await end(name);
  t.same(order, ['a', 'known']);
  await Promise.all(all);
});

t.test('a known pair waits only for its own address and reserved slots', async (t) => {
  const { ask, end, order } = queueOf({ atOnce: 1, reserved: 1, mostWaiting: 10 });
  const all = [ask('s1', 's'), ask('s2', 'r'), ask('k1', 'k', true), ask('k2', 'k', true)];
  all.push(ask('l1', 'l', true));
  t.same(order, ['s1', 'k1'], 'the place of the known pairs is taken');
  await end('s1');
  t.same(order, ['s1', 'k1', 'l1'], 'one at a time of an address');
  await end('k1');
  t.same(order, ['s1', 'k1', 'l1', 'k2']);
  await end('l1');
  t.same(order, ['s1', 'k1', 'l1', 'k2'], 'strangers have one place');
  await end('k2');
  await end('s2');
  await Promise.all(all);
  t.same(order.at(-1), 's2');
});
