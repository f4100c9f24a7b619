import t from 'tap';
import { inRounds, median, ratioOf } from '../../bench/rounds.ts';
import { pairRow, singleRow } from '../../bench/row.ts';

t.test('measures all sides in each round, every second one in reverse, after a warm-up', async (t) => {
  const order: string[] = [];
  let now = 0;
  const side = (name: string) => async () => {
    order.push(name);
    return ++now;
  };
  const [a, b] = await inRounds(3, [side('a'), side('b')]);
  t.equal(order.join(''), 'ababbaab');
  t.strictSame(a, [3, 6, 7]);
  t.strictSame(b, [4, 5, 8]);
});

t.test('a ratio is the median over the rounds, not the ratio of the medians', async (t) => {
  const ratio = ratioOf([10, 20, 300, 1, 50], [10, 40, 100, 10, 25]);
  t.strictSame(ratio, { median: 1, low: 0.5, high: 2 });
  t.equal(median([4, 1, 3, 2]), 2.5);
  t.equal(median([5, 1, 3]), 3);
});

t.test('a goal is met at its bound and missed beyond it', async (t) => {
  const pair = (a: number, goal: { most: number } | { least: number }) =>
    pairRow({ what: '', figures: [[a], [1]], unit: 'ms', goal });
  t.equal(pair(1.5, { most: 1.5 }).verdict, 'met');
  t.equal(pair(1.51, { most: 1.5 }).verdict, 'missed');
  t.equal(pair(0.5, { least: 0.5 }).verdict, 'met');
  t.equal(pair(0.49, { least: 0.5 }).verdict, 'missed');
  t.match(singleRow({ what: 'x', value: 1234.5, unit: 'MB', goal: { most: 400 } }), {
    a: '1,235 MB',
    goal: '≤ 400 MB',
    verdict: 'missed',
  });
});

t.test('several rounds of a single figure are their median, with the least and the largest', async (t) => {
  const row = singleRow({ what: 'x', value: [3, 1, 9], unit: 'ms', goal: { most: 3 } });
  t.match(row, { a: '3 ms (1-9)', goal: '≤ 3 ms', verdict: 'met' });
});
