import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type {
  PullFailure,
  PullPage,
  PullPart,
  PullPass,
  PullReply,
} from '../../domain/provider/pulled-provider.ts';
import { failureByStatus } from '../../domain/recipe/failure.ts';
import { dayMs, isoTime } from '../../domain/time/time.ts';

/** How the points of a type are placed in time. */
export type TimeShape = 'interval' | 'sample' | 'daily' | 'session';

const pageSize = '1000';
const snake = (kebab: string) => kebab.replaceAll('-', '_');

/** The field that a filter compares, the time that it adds to both sides of a span, and the length of its times as text. */
interface Filter {
  readonly field: string;
  readonly beforeMs?: number;
  readonly afterMs?: number;
  readonly characters?: number;
}

/** The filters of a type in the order in which they are tried. Null: all points are read. */
export type Filters = readonly [Filter, ...(Filter | null)[]];

// A session is at most two days long. A civil time is at most a day from UTC.
const filters: Readonly<Record<TimeShape, Filters>> = {
  interval: [{ field: 'interval.start_time' }],
  sample: [{ field: 'sample_time.physical_time' }],
  daily: [{ field: 'date', characters: 'YYYY-MM-DD'.length }],
  session: [
    { field: 'interval.end_time', afterMs: 2 * dayMs },
    {
      field: 'interval.civil_start_time',
      ...{ beforeMs: dayMs, afterMs: dayMs, characters: 'YYYY-MM-DDTHH:mm:ss'.length },
    },
  ],
};
/** Exercises may be refused with any filter. */
export const exerciseFilters: Filters = [filters.session[0], null];

function filterOf(type: string, filter: Filter | null, { span }: PullPart): { readonly filter?: string } {
  if (span === null || filter === null) return {};
  const { beforeMs = 0, afterMs = 0, characters } = filter;
  const field = `${snake(type)}.${filter.field}`;
  const [from, to] = [span.startMs - beforeMs, span.endMs + afterMs].map((ms) =>
    isoTime(ms).slice(0, characters),
  );
  return { filter: `${field} >= "${from}" AND ${field} < "${to}"` };
}

/** `list`: the points of each device. `reconcile`: merged by the provider, as its app shows them, without a device. */
export function pointsPass(
  type: string,
  shape: TimeShape,
  method: 'list' | 'reconcile',
  [filter, ...others]: readonly (Filter | null)[] = filters[shape],
): PullPass {
  const path = `/v4/users/me/dataTypes/${type}/dataPoints${method === 'list' ? '' : ':reconcile'}`;
  return {
    request: (_settings, part) => ({
      path,
      query: {
        ...{ pageSize, ...filterOf(type, filter ?? null, part) },
        ...(part.page === null ? {} : { pageToken: part.page }),
      },
    }),
    read: readPage,
    ...(others.length === 0
      ? {}
      : { fallback: { on: filterRefused, pass: pointsPass(type, shape, method, others) } }),
  };
}

/** The reason of an answer 400 that names the filter. */
const filterRefused = 'FILTER_REFUSED';

const Page = z.object({
  dataPoints: z.array(z.unknown()).default([]),
  nextPageToken: z.string().max(4096).optional(),
});

function readPage({ text }: PullReply): PullPage | null {
  const read = Page.safeParse(jsonOrNull(text));
  if (!read.success) return null;
  return { records: read.data.dataPoints, next: read.data.nextPageToken || null };
}

const failureByHttp = failureByStatus();

/** What an answer of the API means. A limit is that of the account. */
export function failureOf(reply: PullReply, nowMs: number): PullFailure | null {
  if (reply.status === 400 && /filter/i.test(reply.text)) return { kind: 'refused', reason: filterRefused };
  const failure = failureByHttp(reply, nowMs);
  return failure?.kind === 'limited' ? { ...failure, of: 'account' } : failure;
}
