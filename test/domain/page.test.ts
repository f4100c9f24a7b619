import t from 'tap';
import { type Listing, pageFrom } from '../../domain/page.ts';

/** A page of a list of numbers, of two a page. */
const page = (direction: Listing<number, number>['direction'], rows: readonly number[]) =>
  pageFrom<number, number>({
    ...{ query: 'numbers', range: { startMs: 0, endMs: 1000 }, resolution: null, limit: 2, totalCount: 9 },
    ...{ direction, rows, keyOf: (row) => [row], toWire: (row) => row * 10 },
  });

/** A row: how the page was read, what was read, what it shows, and whether pages come after and before it. */
const cases: readonly (readonly [
  direction: Listing<number, number>['direction'],
  read: readonly number[],
  shown: readonly number[],
  hasNext: boolean,
  hasPrevious: boolean,
])[] = [
  [null, [], [], false, false],
  [null, [1, 2], [10, 20], false, false],
  [null, [1, 2, 3], [10, 20], true, false],
  ['next', [3, 4, 5], [30, 40], true, true],
  ['next', [3, 4], [30, 40], false, true],
  ['next', [], [], false, false],
  ['previous', [4, 3, 2], [30, 40], true, true],
  ['previous', [2, 1], [10, 20], true, false],
  ['previous', [], [], false, false],
];

t.test('a page has cursors to its neighbours in both directions', async (t) => {
  for (const [direction, read, shown, hasNext, hasPrevious] of cases) {
    const { data, pagination, metadata } = page(direction, read);
    const said = `${direction} ${read}`;
    t.same(data, shown, said);
    const { next_cursor, previous_cursor, has_more, total_count } = pagination;
    t.same([next_cursor !== null, previous_cursor !== null], [hasNext, hasPrevious], said);
    t.same([has_more, total_count, metadata.sample_count], [hasNext, 9, shown.length], said);
  }
});
