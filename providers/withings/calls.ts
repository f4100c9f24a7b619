import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { Reply } from '../../domain/provider/provider.ts';
import type {
  PullFailure,
  PullPage,
  PullPart,
  PullPass,
  PullReply,
  Span,
} from '../../domain/provider/pulled-provider.ts';
import { dayMs, localDate } from '../../domain/time/time.ts';

type Form = Readonly<Record<string, string>>;

/** A call whose answers are pages of rows: with `lastupdate` from a cursor, otherwise of a span. */
export interface ListCall {
  readonly path: string;
  readonly form: Form;
  /** The name of the list in the answer. */
  readonly list: string;
  /** How a span is named: by instants or by days. */
  readonly named: (span: Span) => Form;
  /** The form of a further call for each row, by its times: the stages of a night. */
  readonly stages?: Form;
}

const seconds = (ms: number) => Math.floor(ms / 1000);
const daySeconds = 86_400;

/** A span as instants. */
export const asTimes = ({ startMs, endMs }: Span): Form => ({
  startdate: String(seconds(startMs)),
  enddate: String(seconds(endMs)),
});

/** A span as days. They are local, so that a row of the span may be of the day before or after. */
export const asDays = ({ startMs, endMs }: Span): Form => ({
  startdateymd: localDate(startMs - dayMs, 0),
  enddateymd: localDate(endMs + dayMs - 1, 0),
});

// Without a cursor the read begins a day ago: a backfill reads the past by spans.
const since = ({ cursor, nowMs }: PullPart) => cursor ?? String(seconds(nowMs) - daySeconds);

/**
 * A page: the offset in the list, null once it is read, the nights whose stages are not read yet, and the newest modification
 * of the pages before.
 */
const Step = z.object({
  offset: z.int().nullable(),
  left: z.array(z.tuple([z.int(), z.int()])),
  newest: z.int(),
});
type Step = z.output<typeof Step>;

const stepOf = (part: PullPart): Step =>
  Step.safeParse(jsonOrNull(part.page ?? '')).data ?? { offset: 0, left: [], newest: Number(since(part)) };

function pageAfter(records: readonly unknown[], { span }: PullPart, step: Step): PullPage {
  const next = step.offset === null && step.left.length === 0 ? null : JSON.stringify(step);
  return span === null ? { records, next, cursor: String(step.newest) } : { records, next };
}

const Body = z.looseObject({
  more: z.union([z.boolean(), z.number()]).default(false),
  offset: z.int().default(0).catch(0),
  timezone: z.string().nullable().default(null).catch(null),
});
const Row = z.looseObject({ modified: z.int().default(0).catch(0) });
const Stages = z.array(z.looseObject({}));

/** The body of a success. Null: the answer cannot be read. */
export function bodyOf(reply: Reply): z.output<typeof Body> | null {
  return Body.safeParse(jsonOrNull(plainReply(reply).text)).data ?? null;
}

/** A pass that reads all pages of a list, and then the stages of each of its nights. */
export const pagesOf = ({ path, form, list, named, stages }: ListCall): PullPass => ({
  request(_settings, part) {
    const { offset, left } = stepOf(part);
    const [night] = left;
    if (offset === null && night !== undefined) {
      const [startMs, endMs] = [night[0] * 1000, night[1] * 1000];
      // A call answers the first 24 hours of its window.
      return { path, form: { ...stages, ...asTimes({ startMs, endMs: Math.min(endMs, startMs + dayMs) }) } };
    }
    const which = part.span === null ? { lastupdate: since(part) } : named(part.span);
    return { path, form: { ...form, ...which, ...(part.page === null ? {} : { offset: String(offset) }) } };
  },
  // Each row has the time zone of the answer.
  read(reply, part) {
    const [body, step] = [bodyOf(reply), stepOf(part)];
    if (step.offset === null) {
      const found = Stages.safeParse(body?.series ?? []).data;
      return found === undefined ? null : pageAfter(found, part, { ...step, left: step.left.slice(1) });
    }
    const rows = z.array(Row).safeParse(body?.[list]).data;
    if (body === null || rows === undefined) return null;
    const newest = rows.reduce((most, { modified }) => Math.max(most, modified), step.newest);
    const offset = body.more && rows.length > 0 ? body.offset : null;
    const records: readonly unknown[] = rows.map((row) => ({ timezone: body.timezone, ...row }));
    if (stages === undefined) return pageAfter(records, part, { offset, left: [], newest });
    const nights = records.filter(isNight).filter((night) => isIn(part.span, night));
    const times = nights.map(({ startdate, enddate }): Step['left'][number] => [startdate, enddate]);
    return pageAfter(nights, part, { offset, left: [...step.left, ...times], newest });
  },
});

const Night = z.object({ startdate: z.int(), enddate: z.int() });
const isNight = (row: unknown): row is z.output<typeof Night> => Night.safeParse(row).success;

// Nights outside of the span would be stored without their stages. A night that the span cuts is read whole, because its
// samples in the span are replaced.
const isIn = (span: Span | null, { startdate, enddate }: z.output<typeof Night>): boolean =>
  span === null || (startdate * 1000 < span.endMs && enddate * 1000 > span.startMs);

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

/** Every answer has HTTP status 200. `status` is 0 for success, and `body` then has the result. */
const Envelope = z.object({
  status: z.int(),
  body: z.unknown().optional(),
  error: z.string().catch('').default(''),
});

type Envelope = z.infer<typeof Envelope>;

const credentials = new Set([100, 101, 102, 200, 401]);
const tooManyRequests = 601;
/** Time-outs and internal errors, which a later request may not have. All others are permanent. */
const temporary = new Set([215, 516, 517, 518, 519, 520, 521, 522, 524, 525, 526, 602, 700]);
const firstInternal = 5000;

/** The status and the body that an answer of Withings means in HTTP. */
export function plainReply(reply: Reply): Reply {
  if (reply.status !== 200) return reply;
  const envelope = Envelope.safeParse(jsonOrNull(reply.text)).data;
  // A page of a proxy or a cut answer: neither success nor a refusal.
  if (envelope === undefined) return { status: 502, text: reply.text };
  if (envelope.status === 0) return { status: 200, text: JSON.stringify(envelope.body ?? {}) };
  return { status: httpStatusOf(envelope.status), text: JSON.stringify(refusalOf(envelope)) };
}

function httpStatusOf(status: number): number {
  if (status === tooManyRequests) return 429;
  if (credentials.has(status)) return 401;
  return temporary.has(status) || status >= firstInternal ? 503 : 400;
}

// The names of RFC 6749. Only a refusal of the code or of the token concerns the user: all others are errors of the
// application's own request or credentials, and no reason to end a connection.
function refusalOf({ status, error }: Envelope) {
  const description = { error_description: error.slice(0, 200), code: status };
  if (/client|secret|signature|nonce/i.test(error)) return { error: 'invalid_client', ...description };
  const isOfGrant = credentials.has(status) || /invalid (code|refresh_?token)/i.test(error);
  return { error: isOfGrant ? 'invalid_grant' : 'invalid_request', ...description };
}
