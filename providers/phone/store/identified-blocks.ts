import type { SampleBlock } from '../../../domain/records/records.ts';
import type { PhoneRecord } from '../normalise/record.ts';

/** The samples of one series of a batch, with the ids by which they can be deleted. */
export interface IdentifiedBlock {
  readonly block: SampleBlock;
  readonly ids: readonly string[];
}

/** Groups samples by series, device and offset, in the order of time. Of several at one instant the last one counts. */
export function blocksOf(records: readonly PhoneRecord[]): IdentifiedBlock[] {
  const groups = Map.groupBy(
    records,
    ({ series, source, zone_offset_minutes }) => `${series}\0${zone_offset_minutes}\0${source.device}`,
  );
  return [...groups.values()].flatMap((group) => group.slice(0, 1).map((first) => blockOf(first, group)));
}

function blockOf(
  { series, source, zone_offset_minutes }: PhoneRecord,
  group: readonly PhoneRecord[],
): IdentifiedBlock {
  const byTime = new Map(group.map((record) => [record.start_ms, record]));
  const sorted = [...byTime.values()].toSorted((a, b) => a.start_ms - b.start_ms);
  const base_ms = sorted[0]?.start_ms ?? 0;
  const block = {
    type: series,
    device: source.device,
    zone_offset_minutes,
    base_ms,
    at: sorted.map(({ start_ms }) => start_ms - base_ms),
    values: sorted.map(({ value }) => value),
  };
  return { block, ids: sorted.map(({ id }) => id) };
}
