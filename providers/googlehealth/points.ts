import { z } from 'zod';
import { jsonOrNull } from '../../domain/json.ts';
import type { PullFailure, PullPage, PullPart, PullPass, PullReply } from '../../domain/pulled-provider.ts';
import { retryAfterMs } from '../../domain/retry-after.ts';
import { dayMs, isoTime } from '../../domain/time.ts';

/** How the points of a type are placed in time. */
export type TimeShape = 'interval' | 'sample' | 'daily' | 'session';

const pageSize = '1000';
const snake = (kebab: string) => kebab.replaceAll('-', '_');

// A session is found by its end, which is at most two days after its start.
const fields: Readonly<Record<TimeShape, string>> = {
  interval: 'interval.start_time',
  sample: 'sample_time.physical_time',
  daily: 'date',
  session: 'interval.end_time',
};
const longestSessionMs = 2 * dayMs;

function filterOf(type: string, shape: TimeShape, { span }: PullPart): string {
  if (span === null) return '';
  const field = `${snake(type)}.${fields[shape]}`;
  const endMs = shape === 'session' ? span.endMs + longestSessionMs : span.endMs;
  const [from, to] = [span.startMs, endMs].map((ms) =>
    shape === 'daily' ? isoTime(ms).slice(0, 10) : isoTime(ms),
  );
  return `${field} >= "${from}" AND ${field} < "${to}"`;
}

/** `list`: the points of each device. `reconcile`: merged by the provider, as its app shows them, without a device. */
export function pointsPass(type: string, shape: TimeShape, method: 'list' | 'reconcile'): PullPass {
  const path = `/v4/users/me/dataTypes/${type}/dataPoints${method === 'list' ? '' : ':reconcile'}`;
  return {
    request: (_settings, part) => ({
      path,
      query: {
        ...{ pageSize, filter: filterOf(type, shape, part) },
        ...(part.page === null ? {} : { pageToken: part.page }),
      },
    }),
    read: readPage,
  };
}

const Page = z.object({
  dataPoints: z.array(z.unknown()).default([]),
  nextPageToken: z.string().max(4096).optional(),
});

function readPage({ text }: PullReply): PullPage | null {
  const read = Page.safeParse(jsonOrNull(text));
  if (!read.success) return null;
  return { records: read.data.dataPoints, next: read.data.nextPageToken || null };
}

const longestWaitMs = 15 * 60_000;

/** What an answer of the API means. */
export function failureOf({ status, headers }: PullReply, nowMs: number): PullFailure | null {
  if (status >= 200 && status < 300) return null;
  const reason = `HTTP_${status}`;
  if (status === 401) return { kind: 'unauthorized', reason };
  if (status === 403) return { kind: 'withheld', reason };
  if (status === 404) return { kind: 'missing', reason };
  const waitMs = retryAfterMs(headers['retry-after'] ?? null, nowMs, {
    leastMs: 1000,
    mostMs: longestWaitMs,
  });
  if (status === 429) return { kind: 'limited', reason, of: 'account', waitMs };
  return { kind: status === 408 || status >= 500 ? 'later' : 'refused', reason };
}
