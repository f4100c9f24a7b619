import type { EpochRecord } from '../../domain/records.ts';
import { seriesOf } from '../../domain/series.ts';
import { localDate } from '../../domain/time.ts';
import type { Queryable } from '../../mixins/database.ts';
import { deleteSamples } from './queries/delete-samples.ts';
import { type EpochPartRow, selectEpochParts } from './queries/select-epoch-parts.ts';
import { upsertEpochParts } from './queries/upsert-epoch-parts.ts';
import type { PendingBlock } from './sample-columns.ts';
import { type SlotSample, slotSamples } from './slot-samples.ts';

/** A part of a slot that an item of a call carries, with the offset that was resolved for it. */
export interface PendingEpoch {
  readonly item: number;
  readonly epoch: EpochRecord;
  readonly zone_offset_minutes: number;
}

/**
 * Stores parts of slots and computes the samples of their slots anew, of all parts that are there then: a sample that
 * they no longer come to is taken away. Answers the others, to be written with the samples of the call.
 */
export async function storeEpochs(
  transaction: Queryable,
  { user_id, provider }: { readonly user_id: string; readonly provider: string },
  pending: readonly PendingEpoch[],
): Promise<PendingBlock[]> {
  if (pending.length === 0) return [];
  const given = new Map(pending.map((one) => [partKey(rowOf(one)), rowOf(one)]));
  const slots = [...new Set(pending.map(({ epoch }) => epoch.start_ms))];
  const stored = await selectEpochParts(transaction, user_id, provider, slots);
  const kept = stored.filter((part) => !given.has(partKey(part)));
  await upsertEpochParts(transaction, user_id, provider, [...given.values()]);
  const samples = slotSamples([...kept, ...given.values()]);
  const places = new Set(samples.map(placeKey));
  const gone = slotSamples(stored).filter((sample) => !places.has(placeKey(sample)));
  const typed = gone.map(({ type, device, ms }) => ({ type_id: seriesOf(type).id, device, ms }));
  await deleteSamples(transaction, user_id, provider, typed);
  return blocksOf(samples, pending);
}

function rowOf({ epoch, zone_offset_minutes }: PendingEpoch): EpochPartRow {
  const { start_ms, activity_type, device, active_seconds, sedentary_seconds, values } = epoch;
  const local_date = localDate(start_ms, zone_offset_minutes);
  const rest = { active_seconds, sedentary_seconds, vals: values };
  return { start_ms, activity_type, device, zone_offset_minutes, local_date, ...rest };
}

function partKey({ start_ms, activity_type }: EpochPartRow): string {
  return `${start_ms} ${activity_type}`;
}

function placeKey({ type, device, ms }: SlotSample): string {
  return `${type} ${ms} ${device}`;
}

// A sample of several items counts for the last of them.
function blocksOf(samples: readonly SlotSample[], pending: readonly PendingEpoch[]): PendingBlock[] {
  const itemOf = new Map(pending.map(({ item, epoch }) => [epoch.start_ms, item]));
  return samples.map(({ type, device, ms: base_ms, value, zone_offset_minutes }) => ({
    item: itemOf.get(base_ms) ?? 0,
    block: { type, device, zone_offset_minutes, base_ms, at: [0], values: [value] },
    zone_offset_minutes,
  }));
}
