import t from 'tap';
import { createHashingQueue } from '../../../services/auth/hashing-queue.ts';
import { refusal } from '../../support/refusal.ts';

/** A queue whose work ends on demand; `order` has what began. */
function queueOf(bounds: { atOnce: number; mostWaiting: number; reserved?: number }) {
  const inTurn = createHashingQueue({ reserved: 0, ...bounds });
  const order: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string, address: string, tries: number, isKnown = false) =>
    inTurn({ address, tries, isKnown }, () => {
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
  const all = [ask('a1', 'a', 1), ask('a2', 'a', 2), ask('b1', 'b', 1)];
  t.same(order, ['a1', 'b1']);
  await end('b1');
  t.same(order, ['a1', 'b1'], 'a free place is not for the address that is at work');
  await end('a1');
  t.same(order, ['a1', 'b1', 'a2']);
  await end('a2');
  await Promise.all(all);
});

t.test('the address with the fewest attempts comes first', async (t) => {
  const { ask, end, order } = queueOf({ atOnce: 1, mostWaiting: 10 });
  const all = [ask('a5', 'a', 5), ask('b9', 'b', 9), ask('c7', 'c', 7), ask('d1', 'd', 1)];
  for (const name of ['a5', 'd1', 'c7', 'b9']) await end(name);
  t.same(order, ['a5', 'd1', 'c7', 'b9']);
  await Promise.all(all);
});

t.test('when too many wait, the one with the most attempts is refused', async (t) => {
  const { ask, end, order } = queueOf({ atOnce: 1, mostWaiting: 1 });
  const first = ask('a1', 'a', 1);
  const often = ask('b9', 'b', 9);
  const honest = ask('c1', 'c', 1);
  await t.rejects(often, refusal('SERVICE_UNAVAILABLE'));
  await end('a1');
  t.same(order, ['a1', 'c1']);
  await end('c1');
  await Promise.all([first, honest]);
});

t.test('a known pair of account and address comes first; equal ones in order of arrival', async (t) => {
  const { ask, end, order } = queueOf({ atOnce: 1, mostWaiting: 100 });
  const strangers = Array.from({ length: 50 }, (_, at) => `s${at}`);
  const all = strangers.map((name) => ask(name, name, 1));
  all.push(ask('known', 'k', 30, true), ask('other', 'o', 1));
  for (const name of ['s0', 'known', ...strangers.slice(1), 'other']) await end(name);
  t.same(order, ['s0', 'known', ...strangers.slice(1), 'other']);
  await Promise.all(all);
});

t.test('a known pair is not refused while others wait', async (t) => {
  const { ask, end, order } = queueOf({ atOnce: 1, mostWaiting: 1 });
  const all = [ask('a', 'a', 1), ask('known', 'k', 30, true)];
  await t.rejects(ask('b', 'b', 1), refusal('SERVICE_UNAVAILABLE'));
  for (const name of ['a', 'known']) await end(name);
  t.same(order, ['a', 'known']);
  await Promise.all(all);
});

t.test('a known pair waits only for its own address and reserved slots', async (t) => {
  const { ask, end, order } = queueOf({ atOnce: 1, reserved: 1, mostWaiting: 10 });
  const all = [ask('s1', 's', 1), ask('s2', 'r', 1), ask('k1', 'k', 1, true), ask('k2', 'k', 1, true)];
  all.push(ask('l1', 'l', 1, true));
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
