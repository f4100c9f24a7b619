import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { Reply } from '../../domain/provider/provider.ts';
import type {
  PullFailure,
  PullPage,
  PullPart,
  PullPass,
  PullReply,
  PullRequest,
  Span,
} from '../../domain/provider/pulled-provider.ts';
import { dayMs, localDate } from '../../domain/time/time.ts';
import { plainReply } from './plain-reply.ts';

/** A call whose answers are pages of rows: with `lastupdate` from a cursor, otherwise of a span. */
export interface ListCall {
  readonly path: string;
  readonly form: Readonly<Record<string, string>>;
  /** The name of the list in the answer. */
  readonly list: string;
  /** How a span is named: by instants or by days. */
  readonly spansBy: 'seconds' | 'days';
}

/** A page of a list: the offset, and the newest modification of the pages before. */
const Page = z.object({ offset: z.int(), newest: z.int() });

const Body = z.looseObject({
  more: z.union([z.boolean(), z.number()]).default(false),
  offset: z.int().default(0).catch(0),
  timezone: z.string().nullable().default(null).catch(null),
});
const Row = z.looseObject({ modified: z.int().default(0).catch(0) });

const daySeconds = 86_400;
const seconds = (ms: number) => Math.floor(ms / 1000);

/** A pass that reads all pages of a list. */
export const pagesOf = (call: ListCall): PullPass => ({
  request: (_settings, part) => listRequest(call, part),
  read: (reply, part) => readList(call, reply, part),
});

/** The request of a page of a list. */
export function listRequest({ path, form, spansBy }: ListCall, part: PullPart): PullRequest {
  const page = pageOf(part);
  const which = part.span === null ? since(part) : spanFields(part.span, spansBy);
  const offset: Record<string, string> = page === null ? {} : { offset: String(page.offset) };
  return { path, form: { ...form, ...which, ...offset } };
}

// Without a cursor the read begins a day ago: a backfill reads the past by spans.
function since({ cursor, nowMs }: PullPart): Record<string, string> {
  return { lastupdate: cursor ?? String(seconds(nowMs) - daySeconds) };
}

/** A span as the fields of a form. */
export const timeSpan = ({ startMs, endMs }: Span) => ({
  startdate: String(seconds(startMs)),
  enddate: String(seconds(endMs)),
});

function spanFields(span: Span, spansBy: ListCall['spansBy']): Record<string, string> {
  if (spansBy === 'seconds') return timeSpan(span);
  const { startMs, endMs } = span;
  // Days are local, so that a row of the span may be of the day before or after.
  return { startdateymd: localDate(startMs - dayMs, 0), enddateymd: localDate(endMs + dayMs - 1, 0) };
}

function pageOf({ page }: PullPart) {
  return Page.safeParse(jsonOrNull(page ?? '')).data ?? null;
}

/** The rows of a page, each with the time zone of the answer. Null: the answer cannot be read. */
export function readList({ list }: ListCall, reply: PullReply, part: PullPart): PullPage | null {
  const body = bodyOf(reply);
  const rows = body === null ? undefined : z.array(Row).safeParse(body[list]).data;
  if (body === null || rows === undefined) return null;
  const { more, offset, timezone } = body;
  const start = pageOf(part)?.newest ?? Number(since(part).lastupdate);
  const newest = rows.reduce((most, { modified }) => Math.max(most, modified), start);
  const next = more && rows.length > 0 ? JSON.stringify({ offset, newest }) : null;
  const records = rows.map((row) => ({ timezone, ...row }));
  return part.span === null ? { records, next, cursor: String(newest) } : { records, next };
}

/** The body of a success. Null: the answer cannot be read. */
export function bodyOf(reply: Reply): z.output<typeof Body> | null {
  return Body.safeParse(jsonOrNull(plainReply(reply).text)).data ?? null;
}

const limitedMs = 20_000;
const Refusal = z.object({ code: z.int() });
/** The scope of the token does not contain the call. */
const scopeMissing = 277;

/** What an answer means. Null: it is a success. */
export function failureOf(reply: PullReply): PullFailure | null {
  const { status, text } = plainReply(reply);
  if (status === 200) return null;
  const code = Refusal.safeParse(jsonOrNull(text)).data?.code ?? reply.status;
  const reason = `STATUS_${code}`;
  if (status === 429) return { kind: 'limited', reason, of: 'application', waitMs: limitedMs };
  if (status === 401) return { kind: 'unauthorized', reason };
  if (code === scopeMissing) return { kind: 'withheld', reason };
  return { kind: status >= 500 ? 'later' : 'refused', reason };
}
