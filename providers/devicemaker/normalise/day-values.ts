import { extraOf } from '../../../domain/provider/extra-fields.ts';
import type { FieldTable } from '../../../domain/provider/field-table.ts';
import type { DayValues, DayValuesRecord } from '../../../domain/records/day-values.ts';
import { CalendarDate, knownLocalDate } from '../../../domain/time/time.ts';
import { dayValueRows, type NumberName } from './day-value-rows.ts';
import { cleanText, isObject, type Problem } from './item.ts';
import type { SampleOrigin } from './samples.ts';

/** What is read of an item beside its day values. */
export interface Rest {
  /** The fields that the item's schema reads, which reports their problems. */
  readonly taken: readonly string[];
  readonly durationSeconds: number;
  readonly table: FieldTable;
}

/**
 * The values of a day that an item contains, and its further fields. Null if it has neither. Values that the item's schema
 * does not read are reported if they are out of range.
 */
export function dayValuesOf(
  item: unknown,
  origin: SampleOrigin,
  { taken, durationSeconds, table }: Rest,
): { readonly record: DayValuesRecord | null; readonly problems: readonly Problem[] } {
  if (!isObject(item)) return { record: null, problems: [] };
  const numbers = numbersOf(item, new Set(taken));
  const values = { ...numbers.values, ...qualifierOf(item) };
  const extra = extraOf(item, table);
  if (extra === null && Object.keys(values).length === 0) return { record: null, problems: numbers.problems };
  const date = CalendarDate.safeParse(item.calendarDate);
  const { startMs: start_ms, zoneOffsetMinutes: zone_offset_minutes, device } = origin;
  const span = { start_ms, duration_seconds: durationSeconds, zone_offset_minutes, device };
  const day = date.success ? date.data : knownLocalDate(start_ms, zone_offset_minutes);
  return { record: { date: day, ...span, values, extra }, problems: numbers.problems };
}

function numbersOf(item: Readonly<Record<string, unknown>>, reported: ReadonlySet<string>) {
  const values: Partial<Record<NumberName, number>> = {};
  const problems: Problem[] = [];
  for (const [field, { name, min, max, whole: isWhole }] of Object.entries(dayValueRows)) {
    const value = item[field] ?? null;
    if (value === null) continue;
    const isNumber = typeof value === 'number';
    if (isNumber && value >= min && value <= max) values[name] = isWhole ? Math.round(value) : value;
    else if (!reported.has(field) && !(isNumber && value <= 0 && min > 0))
      problems.push({
        field,
        reason: isNumber ? `must be ${Math.floor(min)} to ${max}` : 'must be a number',
      });
  }
  return { values, problems };
}

function qualifierOf({ stressQualifier }: Readonly<Record<string, unknown>>): DayValues {
  const text = typeof stressQualifier === 'string' ? cleanText(stressQualifier, 60) : '';
  return text === '' ? {} : { stress_qualifier: text };
}
