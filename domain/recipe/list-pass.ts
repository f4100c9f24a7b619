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
import { dayMs, isoTime } from '../time/time.ts';
import { type Item, isItem } from './read-fields.ts';

/** How a provider lists records of a kind. */
export interface ListRead {
  /** Relative to the URL of the API. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The member of the answer with the records; null: the answer is the list, or one record. A function for other shapes. */
  readonly records: string | null | ((body: unknown) => readonly unknown[] | null);
  /** The names of the bounds of a span in the query. Null: the list takes no span. */
  readonly span: SpanQuery | null;
  readonly page?: TokenPages | OffsetPages;
  /** Whether a listed record belongs to a span, for lists that take none. */
  readonly isWithin?: (listed: Item, span: Span) => boolean;
  /** The path of one record with all of its fields, where the list has not all. Null: the listed one is whole. */
  readonly detail?: {
    readonly path: (listed: Item) => string | null;
    readonly query?: Readonly<Record<string, string>>;
  };
}

/** How a span is asked for. Records that begin before it may belong to it: `beforeDays` and `afterDays` widen the question. */
interface SpanQuery {
  readonly start: string;
  readonly end: string | null;
  readonly form: 'instant' | 'date' | 'ms';
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
  const paged = page === undefined || list === null || list === '' ? {} : { [fieldOf(page)]: list };
  return { path, query: { ...query, ...spanQuery(span, part.span), ...paged } };
}

const fieldOf = (page: TokenPages | OffsetPages) => ('field' in page ? page.field : page.offset);

function spanQuery(named: SpanQuery | null, span: Span | null): Record<string, string> {
  if (named === null || span === null) return {};
  const { start, end, form, beforeDays = 0, afterDays = 0 } = named;
  const shown = (ms: number) =>
    form === 'ms' ? String(ms) : isoTime(ms).slice(0, form === 'date' ? 10 : undefined);
  const from = { [start]: shown(span.startMs - beforeDays * dayMs) };
  return end === null ? from : { ...from, [end]: shown(span.endMs + afterDays * dayMs) };
}

function recordsOf({ records }: ListRead, body: unknown): readonly unknown[] | null {
  if (typeof records === 'function') return records(body);
  const found = records === null ? body : isItem(body) ? body[records] : null;
  if (Array.isArray(found)) return found;
  return records === null && isItem(found) ? [found] : null;
}

function pageOf(read: ListRead, { text, status }: PullReply, part: PullPart): PullPage | null {
  const { list, left } = stepOf(part);
  const body = status === 204 ? [] : jsonOrNull(text);
  if (list === null)
    return body === null ? null : ended(status === 204 ? [] : [body], { list, left: left.slice(1) });
  const listed = status === 204 ? [] : recordsOf(read, body);
  if (listed === null) return null;
  const next = nextOf(read, body, list, listed.length);
  const { span } = part;
  const records = listed.filter(
    (one) => span === null || !isItem(one) || (read.isWithin?.(one, span) ?? true),
  );
  const { detail } = read;
  if (detail === undefined) return ended(records, { list: next, left });
  const paths = records.flatMap((one) => (isItem(one) ? (detail.path(one) ?? []) : []));
  const whole = records.filter((one) => !isItem(one) || detail.path(one) === null);
  return ended(whole, { list: next, left: [...left, ...paths] });
}

function ended(records: readonly unknown[], { list, left }: Step): PullPage {
  return { records, next: list === null && left.length === 0 ? null : JSON.stringify({ list, left }) };
}

function nextOf({ page }: ListRead, body: unknown, list: string, count: number): string | null {
  if (page === undefined || count === 0) return null;
  if ('size' in page) return count < page.size ? null : String(Number(list || 0) + count);
  const next = isItem(body) ? body[page.next] : null;
  return typeof next === 'string' && next !== '' ? next : null;
}
