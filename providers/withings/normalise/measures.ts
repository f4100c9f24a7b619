import { z } from 'zod';
import { withoutNoise } from '../../../domain/json/decimals.ts';
import { manualDevice } from '../../../domain/records/recording-method.ts';
import {
  bareItem,
  type OtherRecord,
  type SampleBlock,
  type StoreItem,
} from '../../../domain/records/records.ts';
import { accepts, type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import { knownLocalDate } from '../../../domain/time/time.ts';
import {
  epochSeconds,
  id,
  isStorable,
  itemsOf,
  type Normalised,
  offsetAt,
  type Skip,
  text,
  withHash,
} from './fields.ts';
import { inUnitOfSeries, measureTypes } from './measure-types.ts';

const Measure = z.object({ value: z.number(), type: z.int(), unit: z.int().min(-20).max(20) });
/** A group of measures that were taken together. `timezone` is that of the answer. */
const MeasureGroup = z.object({
  grpid: id,
  attrib: z.int().nullable().default(null).catch(null),
  date: epochSeconds,
  category: z.int().default(1).catch(1),
  model: text(100),
  timezone: text(100),
  measures: z.array(z.unknown()).max(1000),
});

type MeasureGroup = z.output<typeof MeasureGroup>;

const objectives = 2;
const enteredByUser = 2;
/**
 * Groups that may not be of this user. They are not samples: they are events of the type `unconfirmed_measurement`, which
 * no series and no summary contains, until Withings sends them with another attribution.
 */
const unconfirmed: Readonly<Record<number, string>> = { 1: 'ambiguous_user', 4: 'entered_at_sign_up' };

/** The measures of scales, thermometers and blood pressure monitors. */
export function normaliseMeasures(records: readonly unknown[], nowMs: number): Normalised {
  return itemsOf(records, (record, skip) => itemOf(record, nowMs, skip));
}

function itemOf(record: unknown, nowMs: number, skip: Skip): StoreItem | null {
  const group = MeasureGroup.safeParse(record).data;
  if (group === undefined) return none(skip, 'unreadable');
  if (group.category === objectives) return none(skip, 'objective');
  const startMs = group.date * 1000;
  if (!isStorable(startMs, nowMs)) return none(skip, 'time_out_of_range');
  const values = valuesOf(group, skip);
  if (values.length === 0) return null;
  const reason = unconfirmed[group.attrib ?? 0];
  const kept =
    reason === undefined
      ? { samples: values.map((value) => sampleOf(group, startMs, value)) }
      : { other: unconfirmedOf(group, startMs, values, reason) };
  const item = { ...bareItem, ...kept, key: group.grpid, supersede: 'latest' as const };
  return withHash({ ...item, data_type: 'measures', duration_seconds: 0 });
}

function none(skip: Skip, reason: string): null {
  skip(reason);
  return null;
}

interface Value {
  readonly type: SeriesType;
  readonly value: number;
}

// Two measures of one series in a group, such as the two types of body temperature: the later replaces the earlier.
function valuesOf({ measures }: MeasureGroup, skip: Skip): Value[] {
  const byType = new Map<SeriesType, number>();
  for (const given of measures) {
    const measure = Measure.safeParse(given).data;
    const type = measureTypes[measure?.type ?? 0];
    if (measure === undefined || type === undefined) skip('measure_type_not_kept');
    else {
      const value = withoutNoise(inUnitOfSeries(type, Number(`${measure.value}e${measure.unit}`)));
      if (accepts(type.series, value)) byType.set(type.series, value);
      else skip('value_out_of_range');
    }
  }
  return [...byType].map(([type, value]) => ({ type, value }));
}

function deviceOf({ attrib, model }: MeasureGroup): string {
  return attrib === enteredByUser ? manualDevice : (model ?? 'unknown');
}

function sampleOf(group: MeasureGroup, startMs: number, { type, value }: Value): SampleBlock {
  return {
    type,
    device: deviceOf(group),
    zone_offset_minutes: offsetAt(group.timezone, startMs),
    base_ms: startMs,
    at: [0],
    values: [value],
  };
}

function unconfirmedOf(
  group: MeasureGroup,
  startMs: number,
  values: readonly Value[],
  reason: string,
): OtherRecord {
  const offset = offsetAt(group.timezone, startMs);
  return {
    type: 'unconfirmed_measurement',
    start_ms: startMs,
    end_ms: startMs,
    zone_offset_minutes: offset,
    date: knownLocalDate(startMs, offset),
    device: deviceOf(group),
    data: { reason, measurements: values.map((one) => ({ ...one, unit: seriesOf(one.type).unit })) },
  };
}
