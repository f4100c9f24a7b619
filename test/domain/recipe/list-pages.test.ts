import t from 'tap';
import { type ListRead, listPass } from '../../../domain/recipe/list-pass.ts';
import { numberOf } from '../../../domain/recipe/read-fields.ts';

const dayMs = 86_400_000;
const now = Date.parse('2026-06-01T00:00:00Z');
const daysAgo = (days: number) => now - days * dayMs;

const numbered: ListRead = {
  path: '/results',
  query: { number: '2' },
  records: 'data',
  span: { start: 'from', end: 'to', form: 'date' },
  page: { number: 'page', size: 2, pages: 'meta.pagination.total_pages' },
  isEmptyObject: true,
};

const newestFirst: ListRead = {
  path: '/workouts',
  records: 'workouts',
  span: null,
  page: { number: 'page', size: 2, newestFirst: ({ ms }) => numberOf(ms) },
};

/** Reads a list whose pages have these bodies. Returns the pages that were asked for, and the records. Null: an answer was unreadable. */
function readAll(
  read: ListRead,
  bodies: readonly unknown[],
  span = { startMs: daysAgo(5), endMs: daysAgo(2) },
) {
  const pass = listPass(read);
  const pages: (string | undefined)[] = [];
  const records: unknown[] = [];
  for (let page: string | null = null, isFirst = true; isFirst || page !== null; isFirst = false) {
    const part = { span, cursor: null, page, nowMs: now };
    const { query = {} } = pass.request({}, part);
    pages.push(query.page);
    const text = JSON.stringify(bodies[Number(query.page ?? 1) - 1] ?? null);
    const answer = pass.read({ status: 200, headers: {}, text }, part);
    if (answer === null) return null;
    records.push(...answer.records);
    page = answer.next;
  }
  return { pages, records };
}

const pageOf = (total_pages: unknown, ...ids: number[]) => ({
  data: ids.map((id) => ({ id })),
  meta: { pagination: { total_pages } },
});

t.test('pages are read up to the number that an answer names', async (t) => {
  t.same(readAll(numbered, [pageOf(3, 1, 2), pageOf(3, 3, 4), pageOf(3, 5)]), {
    pages: [undefined, '2', '3'],
    records: [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }, { id: 5 }],
  });
  t.same(readAll(numbered, [pageOf(1, 1, 2)])?.pages, [undefined], 'a full page may be the last one');
  t.same(
    readAll(numbered, [pageOf(2, 1), pageOf(2, 2)])?.pages,
    [undefined, '2'],
    'and a short one the first',
  );
});

t.test('without that number a page that is not full is the last one', async (t) => {
  t.same(readAll(numbered, [pageOf(null, 1, 2), pageOf(undefined, 3)])?.pages, [undefined, '2']);
  t.same(readAll(numbered, [pageOf(null, 1, 2), pageOf(null)]), {
    pages: [undefined, '2'],
    records: [{ id: 1 }, { id: 2 }],
  });
});

t.test('an answer without members is an empty list only where the description says so', async (t) => {
  t.same(readAll(numbered, [{}])?.records, []);
  t.equal(readAll(numbered, [{ error: 'maintenance' }]), null);
  t.equal(readAll(newestFirst, [{}]), null);
});

const workouts = (...days: (number | null)[]) => ({
  workouts: days.map((one) => ({ ms: one === null ? null : daysAgo(one) })),
});

t.test('a list with the newest record first is read until it is older than the span', async (t) => {
  const all = [workouts(0, 1), workouts(2, 3), workouts(5, 6), workouts(7, 8)];
  t.same(readAll(newestFirst, all), {
    pages: [undefined, '2', '3'],
    records: [{ ms: daysAgo(3) }, { ms: daysAgo(5) }],
  });
  const exact = [workouts(3, 5), workouts(5, 6)];
  t.same(readAll(newestFirst, exact)?.pages, [undefined, '2'], 'at the start of the span another may begin');
  t.same(readAll(newestFirst, [workouts(3, null), workouts(4)]), {
    pages: [undefined, '2'],
    records: [{ ms: daysAgo(3) }, { ms: null }, { ms: daysAgo(4) }],
  });
});
