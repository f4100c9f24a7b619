import type { FieldTable } from '../../../domain/provider/field-table.ts';
import { bareDay } from '../../../domain/recipe/item-of-record.ts';
import { bareItem, type DayRecord, type SampleBlock } from '../../../domain/records/records.ts';
import { knownLocalDate } from '../../../domain/time/time.ts';
import type { Normaliser } from './item.ts';
import { type ReadItem, readTimed } from './read-item.ts';
import { dayValuesOf } from './sample-type.ts';
import { samplesOf } from './samples.ts';

/** A data type of days: the provider's totals, samples and other values of a day. The longer version is kept. */
export function dayType(name: string, fields: FieldTable) {
  const normalise: Normaliser = (item, nowMs) => {
    const read = readTimed(fields, item, nowMs);
    if (!read.ok) return read;
    const { key, hash, origin } = read;
    const samples = samplesOf(read.readings, origin);
    const duration_seconds = read.draft.duration_seconds ?? 0;
    const record = {
      ...{ ...bareItem, data_type: name, key, hash, supersede: 'longest' as const, duration_seconds },
      day: dayOf(
        read,
        samples.blocks.find(({ type }) => type === 'heart_rate'),
      ),
      day_values: dayValuesOf(read, fields, duration_seconds),
      samples: samples.blocks,
    };
    return { ok: true, item: record, problems: [...read.problems, ...samples.problems] };
  };
  return { name, fields, normalise };
}

// The provider's average may cover several days, so it is computed from the day's own values.
function dayOf({ draft, origin }: ReadItem, heart: SampleBlock | undefined): DayRecord {
  const { startMs: start_ms, zoneOffsetMinutes: zone_offset_minutes, device } = origin;
  return Object.assign({ ...bareDay }, draft.day, {
    date: draft.date ?? knownLocalDate(start_ms, zone_offset_minutes),
    ...{ start_ms, duration_seconds: draft.duration_seconds ?? 0, zone_offset_minutes, device },
    ...(heart === undefined ? {} : { avg_heart_rate_bpm: average(heart.values) }),
  });
}

function average(values: readonly number[]): number {
  return Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);
}
