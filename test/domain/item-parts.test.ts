import t from 'tap';
import { partsOf } from '../../domain/records/item-parts.ts';
import { dailies } from '../../providers/devicemaker/fields/days.ts';
import { daily, dayStart } from '../fixtures/devicemaker/dailies.ts';

const result = dailies.normalise(daily('account-1', 24), (dayStart + 86_400) * 1000);
if (!result.ok) throw new Error('the fixture is no day');
const { item } = result;

t.test('does not split an item that fits', async (t) => {
  t.same(partsOf(item), [item]);
  t.same(partsOf({ ...item, samples: [] }), [{ ...item, samples: [] }]);
  t.equal(partsOf(item, 5761).length, 1, 'just as many as fit');
});

t.test('splits a larger item into parts with each sample once, in order', async (t) => {
  const parts = partsOf(item, 1000);
  t.same(
    parts.map(({ part, more, day }) => [part, more, day === null]),
    [
      [0, true, false],
      [1, true, true],
      [2, true, true],
      [3, true, true],
      [4, true, true],
      [5, false, true],
    ],
    'the record stands in the first part alone, and the last says that it is',
  );
  const blocks = parts.flatMap(({ samples }) => samples);
  const joined = blocks.filter(({ type }) => type === 'heart_rate');
  t.same(
    joined.flatMap(({ at }) => at),
    item.samples[1]?.at,
  );
  t.same(
    joined.flatMap(({ values }) => values),
    item.samples[1]?.values,
  );
  t.same(
    parts.map(({ samples }) => samples.reduce((sum, { at }) => sum + at.length, 0)),
    [1000, 1000, 1000, 1000, 1000, 761],
  );
});

t.test('a part with the longest numbers is smaller than 256 KB', async (t) => {
  const at = Array.from({ length: 20_000 }, (_, index) => 2_600_000_000 + index);
  const values = at.map((_, index) => 36.59999999999999 + index * 1e-11);
  const block = {
    type: 'heart_rate' as const,
    device: 'x'.repeat(100),
    zone_offset_minutes: -720,
    base_ms: 0,
    at,
    values,
  };
  for (const part of partsOf({ ...item, samples: [block] })) {
    const bytes = Buffer.byteLength(JSON.stringify(part));
    t.ok(bytes < 256 * 1024, `${bytes} bytes`);
  }
});
