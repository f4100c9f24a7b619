import { z } from 'zod';
import type { PullPage, PullPart, PullReply, PullRequest } from '../../domain/provider/pulled-provider.ts';
import { bodyOf } from './calls.ts';
import { dataFieldsOf } from './data-fields.ts';

const Series = z.record(z.string(), z.looseObject({}));
const seconds = (ms: number) => String(Math.floor(ms / 1000));

/** The request of the activity within a span of at most 24 hours. */
export function intradayRequest({ span }: PullPart): PullRequest {
  const { startMs, endMs } = span ?? { startMs: 0, endMs: 0 };
  const window = { startdate: seconds(startMs), enddate: seconds(endMs) };
  const form = { action: 'getintradayactivity', data_fields: dataFieldsOf('intraday'), ...window };
  return { path: '/v2/measure', form };
}

/** The entries of an answer, which is a map by seconds since 1970. An empty list stands for an empty map. */
export function readIntraday(reply: PullReply): PullPage | null {
  const series = bodyOf(reply)?.series ?? {};
  if (Array.isArray(series) && series.length === 0) return { records: [], next: null };
  const entries = Series.safeParse(series).data;
  if (entries === undefined) return null;
  const records = Object.entries(entries).map(([epoch, entry]) => ({ ...entry, epoch: Number(epoch) }));
  return { records, next: null };
}
