import { type IntervalRecord, SummedTypeName } from '../../../domain/records/interval-records.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type IntervalCircumstances, storeIntervalsIn } from '../intervals/store-intervals.ts';
import type { SlotSample } from '../samples/slot-samples.ts';

/** The user and provider whose sums are stored. */
interface SlotContext extends IntervalCircumstances {
  readonly user_id: string;
  readonly provider: string;
}

/**
 * Stores the sums of slots as intervals and deletes those that no longer result. Returns the number of written values. The
 * caller holds the user's lock.
 */
export async function storeSlotSums(
  transaction: Queryable,
  context: SlotContext,
  { made, gone }: { readonly made: readonly SlotSample[]; readonly gone: readonly SlotSample[] },
): Promise<number> {
  if (made.length + gone.length === 0) return 0;
  const devices = [...new Set(made.map(({ device }) => device))];
  const { user_id, provider, order, nowMs, kept, timeZone } = context;
  const request = {
    ...{ user_id, provider, spans: [], deleted_ids: [], unmade_ids: gone.map(idOfSum), isClockKept: true },
    // A provider merges the devices of an account before it makes slots.
    sources: devices.map((device) => ({
      device_type: 'merged' as const,
      device,
      device_id: null,
      app: null,
    })),
    intervals: made.flatMap((sum) => intervalOf(sum, devices.indexOf(sum.device))),
  };
  const { saved, replaced } = await storeIntervalsIn(transaction, request, {
    order,
    nowMs,
    kept,
    timeZone,
  });
  return saved + replaced;
}

/** The id of the interval of a sum. */
function idOfSum({ type, device, ms }: SlotSample): string {
  return `slot ${type} ${ms} ${device}`;
}

function intervalOf(sum: SlotSample, source: number): IntervalRecord[] {
  const type = SummedTypeName.safeParse(sum.type);
  const { ms: start_ms, slot_seconds, value, placed_by } = sum;
  const zone_offset_minutes = placed_by === null ? sum.zone_offset_minutes : null;
  const end_ms = start_ms + slot_seconds * 1000;
  return type.success
    ? [{ id: idOfSum(sum), type: type.data, source, start_ms, end_ms, value, zone_offset_minutes }]
    : [];
}
