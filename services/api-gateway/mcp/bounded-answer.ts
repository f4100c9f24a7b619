import { ServiceError, validationFailed } from '../../../domain/errors.ts';
import type { Page } from '../../../domain/page.ts';

/** The largest answer. Quotes and line breaks count twice, because the answer is text within JSON. */
export const mostAnswerBytes = 24_000;

/** The bytes of an answer in the message that contains it. */
function sizeOf(answer: object): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(answer)));
}

/** A page of a list of the API. */
export interface ListPage<T> {
  readonly data: readonly T[];
  readonly next: string | null;
}

/** A page of the API as `readBounded` takes it. */
export function pageOf<T>({ data, pagination }: Page<T>): ListPage<T> {
  return { data, next: pagination.next_cursor };
}

/** The cursor of a call; none for the first page. */
export const cursorOf = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor });

/** How a list is read: the size of its pages, the most items, and how items are shown. */
export interface Reading<T> {
  readonly limit: number;
  readonly pageLimit: number;
  readonly cursor: string | undefined;
  readonly read: (limit: number, cursor: string | undefined) => Promise<ListPage<T>>;
  readonly show: (items: readonly T[]) => object;
}

/** The longest start of a list that an answer holds, at most `limit` items, and the cursor of the rest. */
export async function readBounded<T>(reading: Reading<T>): Promise<object> {
  const { limit, pageLimit, read, show } = reading;
  const answerOf = (items: readonly T[], next: string | null) => ({ ...show(items), next_cursor: next });
  let items: readonly T[] = [];
  let cursor = reading.cursor;
  for (let size = Math.min(limit, pageLimit); size > 0; ) {
    const page = await read(size, cursor);
    const more = [...items, ...page.data];
    const bytes = sizeOf(answerOf(more, page.next));
    if (bytes > mostAnswerBytes) {
      size = fitting(page.data.length, bytes, sizeOf(answerOf(items, page.next)));
      if (size === 0 && items.length === 0) throw new ServiceError('INTERNAL');
      continue;
    }
    if (page.next === null || page.data.length === 0) return answerOf(more, page.next);
    items = more;
    cursor = page.next;
    size = size < Math.min(pageLimit, limit) ? 0 : Math.min(pageLimit, limit - items.length);
  }
  return answerOf(items, cursor ?? null);
}

// The number of items of a page that fit, from the size of the answer with and without the page.
function fitting(count: number, bytes: number, before: number): number {
  const each = (bytes - before) / count;
  return Math.min(count - 1, Math.floor((mostAnswerBytes - before) / each));
}

/** An answer that is not read by pages. @throws VALIDATION_FAILED (422) with what to change, if it is too large */
export function checkSize<T extends object>(answer: T, field: string, change: string): T {
  if (sizeOf(answer) <= mostAnswerBytes) return answer;
  throw validationFailed([{ field, message: `${change}, because the answer would exceed 25 kB` }]);
}
