import type { SampleBatch, SeriesSource } from '../../read/samples.ts';
import { type Publisher, sampleColumns } from './messages.ts';

/** Collects rows of samples, and sends them in messages of bounded size. */
export interface SampleSender {
  /** Adds the row `n` of a batch. Rows come in the order of their times. */
  add(batch: SampleBatch, n: number): Promise<void>;
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
  const send = async (end: number | null) => {
    const action = rows.length === 0 ? 'delete' : 'replace';
    await publisher.send({ ...about, action, replaces: { start, end } }, rows);
    [start, rows, bytes] = [end, [], 0];
  };
  return {
    async add(batch, n) {
      const time = batch.time[n] ?? 0;
      const row = rowOf(batch, n);
      if (bytes + row.length > publisher.rowBytes && time !== latest) await send(time);
      rows.push(row);
      bytes += row.length + 1;
      latest = time;
    },
    end: () => send(last === null ? null : last + 1),
  };
}

/** Sends samples of many sources, source by source: each replaces all of its source. */
export function sourcesSender(
  publisher: Publisher,
  sequence: string,
): { add(batch: SampleBatch, type: string): Promise<void>; end(): Promise<void> } {
  let current: SampleSender | null = null;
  let last: SeriesSource | null = null;
  return {
    async add(batch, type) {
      for (let n = 0; n < batch.rows; n += 1) {
        const source = batch.sources[batch.series[n] ?? 0];
        if (source === undefined) continue;
        if (source !== last) await current?.end();
        if (current === null || source !== last)
          current = spanSender(publisher, { source, type, sequence, first: null, last: null });
        last = source;
        await current.add(batch, n);
      }
    },
    end: async () => current?.end(),
  };
}
