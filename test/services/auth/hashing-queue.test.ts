import t from 'tap';
import { createHashingQueue } from '../../../services/auth/hashing-queue.ts';
import { refusal } from '../../support/refusal.ts';

/** A queue whose work ends on demand; `order` has what began. */
function queueOf(bounds: { atOnce: number; mostWaiting: number }) {
  const inTurn = createHashingQueue(bounds);
  const order: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string, address: string, tries: number) =>
    inTurn({ address, tries }, () => {
      order.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { ask, end, order };
}

t.test('one address computes one hash at a time, another one does not wait for it', async (t) => {
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

t.test('whoever tried least comes first', async (t) => {
  const { ask, end, order } = queueOf({ atOnce: 1, mostWaiting: 10 });
  const all = [ask('a5', 'a', 5), ask('b9', 'b', 9), ask('c7', 'c', 7), ask('d1', 'd', 1)];
  for (const name of ['a5', 'd1', 'c7', 'b9']) await end(name);
  t.same(order, ['a5', 'd1', 'c7', 'b9']);
  await Promise.all(all);
});

t.test('when too many wait, the one that tried most is refused', async (t) => {
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
