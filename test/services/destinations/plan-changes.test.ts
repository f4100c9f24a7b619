import t from 'tap';
import type { ObjectChange } from '../../../services/destinations/tables/changes.ts';
import { planChanges } from '../../../services/destinations/work/copy.ts';

const common = { user_id: 'user', action: 'updated', recorded_at: new Date(0) } as const;
const sample = (id: string, first: number | null, last: number | null, device = 'Watch'): ObjectChange => ({
  ...{ ...common, id, first, last, device, kind: 'sample', type: 'heart_rate', provider: 'devicemaker' },
});
const record = (id: string, kind: 'workout' | 'day', record_id: string | null, date: string | null) => ({
  ...{ ...common, id, kind, type: kind, record_id, date, first: null },
});
const spansOf = (changes: readonly ObjectChange[]) =>
  planChanges(changes).spans.map(({ first, last, device, sequence }) => [first, last, device, sequence]);

t.test('spans of a source that meet are one, with the last change of them', async (t) => {
  t.same(spansOf([sample('9', 10, 20), sample('10', 15, 30), sample('11', 40, 50)]), [
    [10, 30, 'Watch', '10'],
    [40, 50, 'Watch', '11'],
  ]);
  t.same(spansOf([sample('3', 1, 2), sample('4', 1, 2, 'Scale')]).length, 2);
  t.same(spansOf([sample('5', 1, 9), sample('4', 3, 5)]), [[1, 9, 'Watch', '5']]);
});

t.test('a change without a time is the whole source', async (t) => {
  t.same(spansOf([sample('1', 10, 20), sample('2', null, null), sample('3', 90, 99)]), [
    [null, null, 'Watch', '3'],
  ]);
});

t.test('a record is replaced once, a day by its date', async (t) => {
  const { keys } = planChanges([
    record('1', 'workout', 'run', null),
    record('2', 'workout', 'run', null),
    record('3', 'day', null, '2026-03-01'),
  ]);
  t.same(
    keys.map(({ kind, key, sequence }) => [kind, key, sequence]),
    [
      ['workout', 'run', '2'],
      ['day', '2026-03-01', '3'],
    ],
  );
});
