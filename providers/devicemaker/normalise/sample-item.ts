import type { FieldTable } from '../../../domain/provider/field-table.ts';
import { bareItem } from '../../../domain/records/records.ts';
import { type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import { dayValuesOf } from './day-values.ts';
import { measure, measureOrPlaceholder, type Normalised, type Problem } from './item.ts';
import type { ReadSamples } from './samples.ts';
import type { Timed } from './timed-item.ts';

/** The content of an item that consists of samples only. */
export interface SampleItem {
  readonly dataType: string;
  readonly key: string;
  /** Records that grow keep the longest version, measurements the latest. */
  readonly supersede: 'longest' | 'latest';
  /** Fields of which at least one must be present. Otherwise the sender uses an unknown spelling. */
  readonly anyOf: readonly string[];
  readonly samples: readonly ReadSamples[];
  readonly fields: FieldTable;
}

type ReadItem = Extract<Timed<Fields>, { ok: true }>;
type Fields = Readonly<Record<string, unknown>> & { readonly durationInSeconds: number | null };

/** The store item, with the day values that the item contains, or a rejection if it contains nothing to store. */
export function sampleItem({ fields, problems, hash, origin, item }: ReadItem, made: SampleItem): Normalised {
  const { dataType, key, supersede, anyOf, samples } = made;
  const found = [...problems, ...samples.flatMap((one) => one.problems)];
  if (!anyOf.some((field) => (fields[field] ?? null) !== null || isPlaceholderIn(problems, field)))
    return { ok: false, problems: [...found, { field: '', reason: `has none of ${anyOf.join(', ')}` }] };
  const blocks = samples.map(({ block }) => block).filter((block) => block !== null);
  const reach = blocks.map(({ at }) => (at.at(-1) ?? 0) / 1000);
  const duration_seconds = fields.durationInSeconds ?? Math.round(Math.max(0, ...reach));
  const rest = { taken: Object.keys(fields), durationSeconds: duration_seconds, table: made.fields };
  const others = dayValuesOf(item, origin, rest);
  const record = {
    ...bareItem,
    data_type: dataType,
    key,
    hash,
    supersede,
    duration_seconds,
    day_values: others.record,
    samples: blocks,
  };
  return { ok: true, item: record, problems: [...found, ...others.problems] };
}

// An item that only reports "not measured" is complete.
function isPlaceholderIn(problems: readonly Problem[], name: string): boolean {
  return problems.some(({ field, placeholders = 0 }) => field === name && placeholders > 0);
}

/** A number in the accepted range of a series, multiplied by `scale`. A negative count is an error. */
export function valueIn(type: SeriesType, scale = 1): ReturnType<typeof measureOrPlaceholder> {
  const { min, max, bucket } = seriesOf(type);
  return (bucket === 'sum' ? measure : measureOrPlaceholder)(min * scale, max * scale);
}
