import type { SampleBlock } from '../../../domain/records/records.ts';
import type { LocalDays } from '../rules/local-days.ts';
import { placedByOf, type SampleColumns } from '../tables/samples.ts';

/** Samples of one series from an item, with the resolved offset of their clock, and by what they were placed. */
export interface PendingBlock {
  readonly item: number;
  readonly block: SampleBlock;
  readonly zone_offset_minutes: number;
  readonly placed_by: number | null;
}

interface Sample {
  readonly time: number;
  readonly value: number;
  readonly offset: number;
  readonly placed_by: number | null;
  readonly item: number;
}

/**
 * Samples of several blocks as columns of at most `most` rows, ordered by (series, time), each with the offset that
 * puts it on its local day. Of two with one key the later one is kept.
 */
export function* sampleColumns(
  placed: readonly (PendingBlock & { readonly series_id: number })[],
  days: LocalDays,
  most: number,
): Generator<SampleColumns> {
  const bySeries = new Map<number, Sample[]>();
  for (const block of placed) {
    const samples = bySeries.get(block.series_id) ?? [];
    bySeries.set(block.series_id, samples);
    collect(block, samples);
  }
  const ordered = [...bySeries].sort(([a], [b]) => a - b);
  const rows = ordered.flatMap(([id, samples]) => distinctByTime(samples).map((sample) => ({ id, sample })));
  for (let from = 0; from < rows.length; from += most) yield toColumns(rows.slice(from, from + most), days);
}

function collect(
  { item, block, zone_offset_minutes: offset, placed_by }: PendingBlock,
  into: Sample[],
): void {
  for (const [index, value] of block.values.entries())
    into.push({ time: block.base_ms + (block.at[index] ?? 0), value, offset, placed_by, item });
}

function distinctByTime(samples: Sample[]): Sample[] {
  if (samples.every((sample, index) => index === 0 || sample.time > (samples[index - 1]?.time ?? 0)))
    return samples;
  // The sort is stable, so the last of equal times is the last one given.
  const sorted = samples.toSorted((a, b) => a.time - b.time);
  return sorted.filter((sample, index) => sorted[index + 1]?.time !== sample.time);
}

function toColumns(rows: readonly { id: number; sample: Sample }[], { offsetOn }: LocalDays): SampleColumns {
  return {
    seriesIds: rows.map(({ id }) => id),
    // A local time is on its day by the offset that turned it into UTC.
    offsets: rows.map(({ sample: { time, offset, placed_by } }) =>
      placed_by !== null && placed_by < 0 ? offset : offsetOn(time, offset),
    ),
    times: rows.map(({ sample }) => sample.time),
    values: rows.map(({ sample }) => sample.value),
    items: rows.map(({ sample }) => sample.item),
    placedBy: placedByOf(rows.map(({ sample }) => sample)),
  };
}
