import t from 'tap';
import { GroupedCounts } from '../../../services/auth/work/grouped-counts.ts';

/** A window whose statements end when the test says so. */
function heldWindow() {
  const statements: { requests: number; end(): void; fail(): void }[] = [];
  let total = 0;
  const count = (requests: number) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ count: number }>();
    total += requests;
    const after = total;
    statements.push({
      requests,
      end: () => resolve({ count: after }),
      fail: () => reject(new Error('no server')),
    });
    return promise;
  };
  return { statements, count };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

t.test(
  'requests that arrive while a statement runs are counted by the next one, each with its own count',
  async (t) => {
    const counts = new GroupedCounts();
    const { statements, count } = heldWindow();
    const first = counts.add('key', count);
    const waiting = [counts.add('key', count), counts.add('key', count), counts.add('key', count)];
    t.same(
      statements.map(({ requests }) => requests),
      [1],
    );
    statements[0]?.end();
    t.same(await first, { count: 1 });
    await settled();
    const late = counts.add('key', count);
    t.same(
      statements.map(({ requests }) => requests),
      [1, 3],
      'a statement does not count what arrives after it began',
    );
    statements[1]?.end();
    t.same(await Promise.all(waiting), [{ count: 2 }, { count: 3 }, { count: 4 }]);
    await settled();
    statements[2]?.end();
    t.same(await late, { count: 5 });
    await settled();
    void counts.add('key', count);
    t.equal(statements.length, 4, 'a credential that nobody waits for begins at once');
  },
);

t.test('credentials do not wait for each other', async (t) => {
  const counts = new GroupedCounts();
  const { statements, count } = heldWindow();
  void counts.add('key a', count);
  void counts.add('key b', count);
  t.equal(statements.length, 2);
});

t.test('a failure concerns the requests of its statement', async (t) => {
  const counts = new GroupedCounts();
  const { statements, count } = heldWindow();
  const first = counts.add('key', count);
  const second = counts.add('key', count);
  statements[0]?.fail();
  await t.rejects(first, { message: 'no server' });
  await settled();
  statements[1]?.end();
  t.same(await second, { count: 2 });
});

t.test('an invalid credential is null for all', async (t) => {
  const counts = new GroupedCounts();
  const all = Array.from({ length: 5 }, () => counts.add('key', async () => null));
  t.same(await Promise.all(all), [null, null, null, null, null]);
});

t.test('the next statement does not wait for one that is stuck', async (t) => {
  const counts = new GroupedCounts();
  const { statements, count } = heldWindow();
  const stuck = counts.add('key', count);
  const second = counts.add('key', count);
  while (statements.length < 2) await settled();
  statements[1]?.end();
  t.same(await second, { count: 2 });
  statements[0]?.end();
  t.same(await stuck, { count: 1 });
  await settled();
  const third = counts.add('key', count);
  statements[2]?.end();
  t.same(await third, { count: 3 });
});
