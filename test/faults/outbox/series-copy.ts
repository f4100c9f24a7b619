import { z } from 'zod';
import { madeBy } from '../../sandbox/records.ts';
import type { Client } from './client.ts';
import type { Arrival } from './receiver.ts';
import { pages } from './stored-state.ts';

const Sample = z.object({
  timestamp: z.string(),
  value: z.number(),
  source: z.object({ provider: z.string(), device: z.string() }),
  recording_method: z.string().optional(),
});
/** The span of a series that a change names. */
export const Span = z.object({
  user_id: z.string(),
  ...{ series_type: z.string(), provider: z.string(), device: z.string() },
  recording_method: z.string().optional(),
  ...{ start_time: z.string().nullable(), end_time: z.string().nullable() },
});
type Span = z.infer<typeof Span>;
/** Values by the second. */
type Samples = Map<number, number>;

/** Copies of series that an application keeps: each span that a change names is read again and replaced. */
export interface SeriesCopy {
  readonly series: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** Reads the span of a change, after those before. */
  follow(change: Arrival): void;
  untilRead(): Promise<void>;
  readonly reads: number;
}

/** Copies the series of the users that `isCopied` names. */
export function copySeries(client: Client, isCopied: (userId: string) => boolean): SeriesCopy {
  const series = new Map<string, Samples>();
  const copy = { series, reads: 0 };
  const queues = new Map<string, Promise<void>>();
  const read = async (span: Span) => {
    const known = series.get(nameOf(span)) ?? new Map<number, number>();
    series.set(nameOf(span), known);
    const found = await samplesOf(client, span);
    copy.reads += 1;
    for (const at of [...known.keys()]) if (isWithin(span, at)) known.delete(at);
    for (const [at, value] of found) known.set(at, value);
  };
  return Object.assign(copy, {
    follow({ type, data }: Arrival) {
      if (type !== 'timeseries.updated' || !isCopied(String(data.user_id))) return;
      const span = Span.parse(data);
      const before = queues.get(span.user_id) ?? Promise.resolve();
      const next = before.then(() => read(span));
      next.catch(() => undefined); // thrown by untilRead
      queues.set(span.user_id, next);
    },
    async untilRead() {
      await Promise.all(queues.values());
    },
  });
}

/** The name of a series in a copy, as in an export after the user. */
export const nameOf = (span: Omit<Span, 'start_time' | 'end_time'>) =>
  [span.user_id, span.provider, span.series_type, madeBy(span.device, span.recording_method)].join('/');

/** Whether a second is in the span of a change. Without a span, the whole series changed. */
export function isWithin({ start_time, end_time }: Pick<Span, 'start_time' | 'end_time'>, second: number) {
  if (start_time === null || end_time === null) return true;
  return Date.parse(start_time) <= second * 1000 && second * 1000 <= Date.parse(end_time);
}

async function samplesOf(client: Client, span: Span): Promise<Samples> {
  const { user_id, series_type, start_time, end_time } = span;
  const start = start_time ?? '2020-01-01';
  const end = end_time === null ? '2035-01-01' : new Date(Date.parse(end_time) + 1).toISOString();
  const range = `types=${series_type}&start_time=${start}&end_time=${end}`;
  const { status } = await client.request(`/users/${user_id}`);
  if (status === 404) return new Map();
  const all = await pages(client, `/users/${user_id}/timeseries`, Sample, range).catch((error: unknown) => {
    if (String(error).includes(': 404')) return []; // deleted meanwhile
    throw error;
  });
  const own = all.filter(
    ({ source, recording_method }) =>
      source.provider === span.provider &&
      source.device === span.device &&
      recording_method === span.recording_method,
  );
  return new Map(own.map(({ timestamp, value }) => [Date.parse(timestamp) / 1000, value]));
}
