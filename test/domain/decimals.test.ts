import t from 'tap';
import { withoutNoise } from '../../domain/json/decimals.ts';

const cases: readonly (readonly [value: number, shown: number])[] = [
  [0.1 + 0.2, 0.3],
  [0.1 + 0.7, 0.8],
  [1.1 * 3, 3.3],
  [1.123456789012, 1.123456789012],
  [-0.1 - 0.2, -0.3],
  [1e300, 1e300],
  [12_345_678.9, 12_345_678.9],
  [0, 0],
];

t.test('removes rounding errors and keeps decimals that were sent', async (t) => {
  for (const [value, shown] of cases) t.equal(withoutNoise(value), shown);
});
