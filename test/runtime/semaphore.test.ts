import t from 'tap';
import { semaphore } from '../../runtime/jobs/semaphore.ts';

/** Work that ends on demand. */
function task(name: string, log: string[]) {
  const gate = Promise.withResolvers<void>();
  const work = async () => {
    log.push(name);
    await gate.promise;
    return name;
  };
  return { work, end: gate.resolve };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

t.test('limits concurrent work and continues in order of arrival', async (t) => {
  const log: string[] = [];
  const three = semaphore(2, 100);
  const [a, b, c] = [task('a', log), task('b', log), task('c', log)];
  const all = [three.run(1, a.work), three.run(1, b.work), three.run(1, c.work)];
  await settled();
  t.same(log, ['a', 'b']);
  t.equal(three.free(), 0);
  b.end();
  await settled();
  t.same(log, ['a', 'b', 'c']);
  a.end();
  c.end();
  t.same(await Promise.all(all), ['a', 'b', 'c']);
  t.equal(three.free(), 2);
});

t.test('limits the total size in order of arrival; a smaller one does not overtake', async (t) => {
  const log: string[] = [];
  const two = semaphore(8, 100);
  const [a, b, c] = [task('a', log), task('b', log), task('c', log)];
  const all = [two.run(60, a.work), two.run(60, b.work), two.run(10, c.work)];
  await settled();
  t.same(log, ['a'], 'b does not fit, and c waits behind it: a large one would starve otherwise');
  a.end();
  await settled();
  t.same(log, ['a', 'b', 'c']);
  b.end();
  c.end();
  await Promise.all(all);
});

t.test('admits one that exceeds the limit alone', async (t) => {
  const log: string[] = [];
  const one = semaphore(8, 100);
  const [big, small] = [task('big', log), task('small', log)];
  const all = [one.run(1000, big.work), one.run(1, small.work)];
  await settled();
  t.same(log, ['big']);
  big.end();
  small.end();
  await Promise.all(all);
  t.same(log, ['big', 'small']);
});

t.test('releases the slot when work fails', async (t) => {
  const one = semaphore(1, 100);
  await t.rejects(
    one.run(1, () => Promise.reject(new Error('no'))),
    /no/,
  );
  t.equal(one.free(), 1);
  t.equal(await one.run(1, async () => 'next'), 'next');
});
