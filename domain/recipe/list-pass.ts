import { z } from 'zod';
import { jsonOrNull } from '../json/json.ts';
import type {
  PullPage,
  PullPart,
  PullPass,
  PullReply,
  PullRequest,
  Span,
} from '../provider/pulled-provider.ts';
import { dateToMs, dayMs, hourMs, isoTime } from '../time/time.ts';
import { type Item, isItem, numberOf, valueAt } from './read-fields.ts';

/** How a provider lists records of a kind. */
export interface ListRead {
  /** Relative to the URL of the API. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The member of the answer with the records; null: the answer is the list, or one record. A function for other shapes; `day` is that of a page of one day. */
  readonly records: string | null | ((body: unknown, day: string | null) => readonly unknown[] | null);
  /** The names of the bounds of a span in the query. Null: the list takes no span. */
  readonly span: SpanQuery | null;
  readonly page?: TokenPages | OffsetPages | NumberedPages | DayPages;
  /** The answer `{}` is a list without records. */
  readonly isEmptyObject?: true;
  /** Whether a listed record belongs to a span, for lists that take none. */
  readonly isWithin?: (listed: Item, span: Span) => boolean;
  /** The path of one record with all of its fields, where the list has not all. Null: the listed one is whole. */
  readonly detail?: {
    readonly path: (listed: Item) => string | null;
    readonly query?: Readonly<Record<string, string>>;
    /** The member of the answer with the record. Omitted: the answer is the record. */
    readonly record?: string;
    /** The listed record is returned too, before that of its path, which may be missing: `join` puts them together. */
    readonly keepsListed?: true;
  };
}

/** How a bound of a span is written: in ISO 8601, in UTC to the second without a zone, as a date, or in milliseconds or seconds since 1970. */
export type SpanForm = 'instant' | 'utc' | 'date' | 'ms' | 's';

/** How a span is asked for. Records that begin before it may belong to it: `beforeDays` and `afterDays` widen the question. */
interface SpanQuery {
  readonly start: string;
  readonly end: string | null;
  readonly form: SpanForm;
  readonly beforeDays?: number;
  readonly afterDays?: number;
}

/** Pages that name the next one. */
interface TokenPages {
  readonly field: string;
  readonly next: string;
}

/** Pages by the number of records before them. */
interface OffsetPages {
  readonly offset: string;
  readonly size: number;
}

/** Pages by their number, from 1. */
interface NumberedPages {
  readonly number: string;
  /** The most records of a page. A page with fewer is the last one, unless the answer says how many pages there are. */
  readonly size: number;
  /** The path of the number of pages in an answer. */
  readonly pages?: string;
  /**
   * When a listed record begins, of a list that takes no span and has the newest record first. Reading ends with the page whose last
   * record begins before the span; records outside of the span are left out. Null: the record does not say it, and is returned.
   */
  readonly newestFirst?: (listed: Item) => number | null;
}

/**
 * Pages of one local day each, for a list without a span: the field of the query with the date. All days that may have instants of the
 * span are read, whatever the clock of the user is, so that a span that is replaced is read as a whole. A day that has not begun
 * anywhere is not asked for.
 */
interface DayPages {
  readonly day: string;
}

/** A `join` for lists of which each record is read alone as well: of the records with one id, the last counts. */
export const lastOfEach =
  (id: string) =>
  (records: readonly unknown[]): readonly unknown[] => [
    ...new Map(records.map((record) => [(isItem(record) && record[id]) || record, record])).values(),
  ];

/** Where a pass is: the next page of the list (null: it is read), and the paths of the records that are read alone. */
const Step = z.object({ list: z.string().nullable(), left: z.array(z.string()) });
type Step = z.output<typeof Step>;

const first: Step = { list: '', left: [] };
const stepOf = ({ page }: PullPart): Step =>
  page === null ? first : (Step.safeParse(jsonOrNull(page)).data ?? first);

/** A pass that reads all pages of a list, and then each record that the list does not show whole. */
export function listPass(read: ListRead): PullPass {
  return {
    request: (_settings, part) => requestOf(read, part),
    read: (reply, part) => pageOf(read, reply, part),
    // A record that was deleted after it was listed. A page of the list itself is never passed over.
    missing(part) {
      const { list, left } = stepOf(part);
      return list === null ? ended([], { list, left: left.slice(1) }) : null;
    },
  };
}

function requestOf({ path, query, span, page, detail }: ListRead, part: PullPart): PullRequest {
  const { list, left } = stepOf(part);
  const [own] = left;
  if (list === null && own !== undefined)
    return { path: own, ...(detail?.query === undefined ? {} : { query: detail.query }) };
  const asked = list !== null && page !== undefined && 'day' in page ? dayOf(list, part) : list;
  const paged = page === undefined || asked === null || asked === '' ? {} : { [fieldOf(page)]: asked };
  return { path, query: { ...query, ...spanQuery(span, part.span), ...paged } };
}

/** The field of a query with the page. */
export function fieldOf(page: NonNullable<ListRead['page']>): string {
  if ('field' in page) return page.field;
  if ('day' in page) return page.day;
  return 'offset' in page ? page.offset : page.number;
}

/** No clock is farther behind UTC, or ahead of it. */
const [farthestWestMs, farthestEastMs] = [12 * hourMs, 14 * hourMs];
const dateAt = (ms: number): string => isoTime(ms).slice(0, 10);

/** The day of a page: that of the list, or the first local day of the span. */
function dayOf(list: string, { span, nowMs }: PullPart): string {
  return list === '' ? dateAt((span?.startMs ?? nowMs) - farthestWestMs) : list;
}

function nextDay(list: string, part: PullPart): string | null {
  const endMs = Math.min(part.span?.endMs ?? part.nowMs, part.nowMs + 1);
  const next = dateAt(dateToMs(dayOf(list, part)) + dayMs);
  return next <= dateAt(endMs - 1 + farthestEastMs) ? next : null;
}

const bounds: Readonly<Record<SpanForm, (ms: number) => string>> = {
  instant: isoTime,
  utc: (ms) => isoTime(ms).slice(0, 19),
  date: (ms) => isoTime(ms).slice(0, 10),
  ms: String,
  s: (ms) => String(Math.floor(ms / 1000)),
};

function spanQuery(named: SpanQuery | null, span: Span | null): Record<string, string> {
  if (named === null || span === null) return {};
  const { start, end, form, beforeDays = 0, afterDays = 0 } = named;
  const shown = bounds[form];
  const from = { [start]: shown(span.startMs - beforeDays * dayMs) };
  return end === null ? from : { ...from, [end]: shown(span.endMs + afterDays * dayMs) };
}

function recordsOf(
  { records, isEmptyObject }: ListRead,
  body: unknown,
  day: string | null,
): readonly unknown[] | null {
  if (isEmptyObject === true && isItem(body) && Object.keys(body).length === 0) return [];
  if (typeof records === 'function') return records(body, day);
  const found = records === null ? body : isItem(body) ? body[records] : null;
  if (Array.isArray(found)) return found;
  return records === null && isItem(found) ? [found] : null;
}

function pageOf(read: ListRead, { text, status }: PullReply, part: PullPart): PullPage | null {
  const { list, left } = stepOf(part);
  const body = status === 204 ? [] : jsonOrNull(text);
  if (list === null) {
    if (body === null) return null;
    const name = read.detail?.record;
    const own = name !== undefined && isItem(body) && isItem(body[name]) ? body[name] : body;
    return { ...ended(status === 204 ? [] : [own], { list, left: left.slice(1) }), isDetail: true };
  }
  const isByDay = read.page !== undefined && 'day' in read.page;
  const listed = status === 204 ? [] : recordsOf(read, body, isByDay ? dayOf(list, part) : null);
  if (listed === null) return null;
  const { span } = part;
  const next = isByDay ? nextDay(list, part) : nextOf(read, { body, listed, span }, list);
  const records = listed.filter((one) => span === null || !isItem(one) || isWithin(read, one, span));
  const { detail } = read;
  if (detail === undefined) return ended(records, { list: next, left });
  const paths = records.flatMap((one) => (isItem(one) ? (detail.path(one) ?? []) : []));
  const whole = records.filter(
    (one) => detail.keepsListed === true || !isItem(one) || detail.path(one) === null,
  );
  return ended(whole, { list: next, left: [...left, ...paths] });
}

function ended(records: readonly unknown[], { list, left }: Step): PullPage {
  return { records, next: list === null && left.length === 0 ? null : JSON.stringify({ list, left }) };
}

function isWithin({ isWithin: isWithinOwn, page }: ListRead, one: Item, span: Span): boolean {
  if (isWithinOwn !== undefined) return isWithinOwn(one, span);
  const startMs = page !== undefined && 'number' in page ? (page.newestFirst?.(one) ?? null) : null;
  return startMs === null || (startMs >= span.startMs && startMs < span.endMs);
}

/** An answer with its records. */
interface ListPage {
  readonly body: unknown;
  readonly listed: readonly unknown[];
  readonly span: Span | null;
}

function nextOf({ page }: ListRead, answer: ListPage, list: string): string | null {
  const { body, listed } = answer;
  if (page === undefined || listed.length === 0) return null;
  if ('number' in page) return nextNumber(page, answer, Number(list || 1));
  if ('size' in page) return listed.length < page.size ? null : String(Number(list || 0) + listed.length);
  if ('day' in page) return null;
  const next = isItem(body) ? body[page.next] : null;
  return typeof next === 'string' && next !== '' ? next : null;
}

function nextNumber(
  { size, pages = '', newestFirst }: NumberedPages,
  { body, listed, span }: ListPage,
  number: number,
): string | null {
  const last = isItem(body) ? numberOf(valueAt(body, pages.split('.'))) : null;
  if (last === null ? listed.length < size : number >= last) return null;
  const oldest = listed.findLast(isItem);
  const startMs = oldest === undefined ? null : (newestFirst?.(oldest) ?? null);
  return startMs !== null && span !== null && startMs < span.startMs ? null : String(number + 1);
}
