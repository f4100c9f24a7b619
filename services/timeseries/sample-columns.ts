import type { SampleBlock } from '../../domain/records.ts';
import { seriesOf } from '../../domain/series.ts';
import { dayMs, earliestMs } from '../../domain/time.ts';
import type { SampleColumns } from './queries/upsert-samples.ts';

/** Samples of one series that an item of a call carries, with the offset that was resolved for them. */
export interface PendingBlock {
  readonly item: number;
  readonly block: SampleBlock;
  readonly zone_offset_minutes: number;
}

interface Sample {
  readonly time: number;
  readonly value: number;
  readonly offset: number;
  readonly item: number;
}

/**
 * Samples of several blocks as columns of at most `most` rows, in the order of (series, time); of two with one
 * key the later given counts. Normalisers filter by the catalogue and by time; what they let through is dropped.
 */
export function* sampleColumns(
  pending: readonly PendingBlock[],
  seriesIdOf: (block: SampleBlock) => number,
  nowMs: number,
  most: number,
): Generator<SampleColumns> {
  const bySeries = new Map<number, Sample[]>();
  for (const one of pending) {
    const id = seriesIdOf(one.block);
    const samples = bySeries.get(id) ?? [];
    bySeries.set(id, samples);
    collect(one, nowMs, samples);
  }
  const ordered = [...bySeries].sort(([a], [b]) => a - b);
  const rows = ordered.flatMap(([id, samples]) => tidy(samples).map((sample) => ({ id, sample })));
  for (let from = 0; from < rows.length; from += most) yield columnsOf(rows.slice(from, from + most));
}

function collect({ item, block, zone_offset_minutes }: PendingBlock, nowMs: number, into: Sample[]): void {
  const { min, max } = seriesOf(block.type);
  const latestMs = nowMs + dayMs;
  for (const [index, value] of block.values.entries()) {
    const time = block.base_ms + (block.at[index] ?? Number.NaN);
    if (!(value >= min && value <= max && time >= earliestMs && time <= latestMs)) continue;
    into.push({ time, value, offset: zone_offset_minutes, item });
  }
}

function tidy(samples: Sample[]): Sample[] {
  if (samples.every((sample, index) => index === 0 || sample.time > (samples[index - 1]?.time ?? 0)))
    return samples;
  // The sort is stable, so the last of equal times is the last that was given.
  const sorted = samples.toSorted((a, b) => a.time - b.time);
  return sorted.filter((sample, index) => sorted[index + 1]?.time !== sample.time);
}

function columnsOf(rows: readonly { id: number; sample: Sample }[]): SampleColumns {
  return {
    seriesIds: rows.map(({ id }) => id),
    offsets: rows.map(({ sample }) => sample.offset),
    times: rows.map(({ sample }) => sample.time),
    values: rows.map(({ sample }) => sample.value),
    items: rows.map(({ sample }) => sample.item),
  };
}
