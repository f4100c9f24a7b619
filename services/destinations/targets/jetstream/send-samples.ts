import type { SampleBatch, SeriesSource } from '../../read/samples.ts';
import { type Publisher, sampleColumns } from './messages.ts';

/** Collects rows of samples, and sends them in messages of bounded size. */
export interface SampleSender {
  /** Adds the row `n` of a batch. Rows come in the order of their times. Returns what to wait for before the next one, if anything. */
  add(batch: SampleBatch, n: number): Promise<void> | undefined;
  end(): Promise<void>;
}

// V8 caches the text of a number in a template, but not that of `toFixed`: all times differ, and 60 MB of them were kept.
function rowOf(batch: SampleBatch, n: number): string {
  const { time, value, zone, duration } = batch;
  return `[${(time[n] ?? 0).toFixed(0)},${duration === null ? 'null' : duration[n]},${value[n]},${zone[n]}]`;
}

/** The source of samples and the span in it that is replaced. Microseconds since 1970, both included; null: no bound. */
export interface SentSpan {
  readonly source: SeriesSource;
  readonly type: string;
  readonly sequence: string;
  readonly first: number | null;
  readonly last: number | null;
}

/**
 * Sends the samples of a span. Each message replaces a part of it, from `start` on and before `end`, and the parts have nothing in
 * common: a message may be repeated, also alone. Samples of one time are in one message.
 */
export function spanSender(publisher: Publisher, span: SentSpan): SampleSender {
  const { source, type, sequence, first, last } = span;
  const { user_id, provider, device, recording_method } = source;
  const about = {
    kind: 'sample',
    ...{ sequence, type, user_id, columns: sampleColumns },
    common: { user_id, provider, device, type, recording_method },
  } as const;
  let start = first;
  let [rows, bytes, latest]: [string[], number, number | null] = [[], 0, null];
  const send = (end: number | null) => {
    const action = rows.length === 0 ? 'delete' : 'replace';
    const sent = publisher.send({ ...about, action, replaces: { start, end } }, rows);
    [start, rows, bytes] = [end, [], 0];
    return sent;
  };
  return {
    add(batch, n) {
      const time = batch.time[n] ?? 0;
      const row = rowOf(batch, n);
      const isFull = bytes + row.length > publisher.rowBytes && time !== latest;
      const sent = isFull ? send(time) : undefined;
      rows.push(row);
      bytes += row.length + 1;
      latest = time;
      return sent;
    },
    end: () => send(last === null ? null : last + 1),
  };
}

/** Sends samples of many sources, source by source. `spanAt` is the span of an index in `series`. */
export function sourcesSender(publisher: Publisher): {
  add(batch: SampleBatch, spanAt: (index: number) => Omit<SentSpan, 'source'>): Promise<void>;
  end(): Promise<void>;
} {
  let current: SampleSender | null = null;
  let last: SeriesSource | null = null;
  return {
    async add(batch, spanAt) {
      for (let n = 0; n < batch.rows; n += 1) {
        const index = batch.series[n] ?? 0;
        const source = batch.sources[index];
        if (source === undefined) continue;
        if (source !== last) await current?.end();
        if (current === null || source !== last)
          current = spanSender(publisher, { ...spanAt(index), source });
        last = source;
        const sent = current.add(batch, n);
        if (sent !== undefined) await sent;
      }
    },
    end: async () => current?.end(),
  };
}
