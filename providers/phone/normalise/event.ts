import { createHash } from 'node:crypto';
import {
  type CycleRecordData,
  type NutritionData,
  nutrientUnits,
} from '../../../domain/provider/event-data.ts';
import { bareItem, type StoreItem } from '../../../domain/records/records.ts';
import { dayMs } from '../../../domain/time/time.ts';
import { type EventType, eventTypeOf } from './event-types.ts';
import { isObject, isProblem, type Problem, type RawItem, spanOf, textOrNull } from './item.ts';
import { sourceOf } from './source.ts';
import { convert } from './units.ts';

type Of<T extends EventType['type']> = Extract<EventType, { type: T }>;

/** The longest spans of events. A pregnancy and a contraceptive last for months, so cycle records have no limit. */
const longestDays = { nutrition: 7, mindfulness: 1, cycle_record: Number.POSITIVE_INFINITY } as const;

/**
 * Reads an entry of `records` that is an event: nutrition, a mindful session or a record of the menstrual cycle. Its id is
 * the key, so an event that is sent again replaces itself. Null: its type is none of these.
 */
export function readEvent(item: RawItem, nowMs: number, timeZone: string | null): StoreItem | Problem | null {
  const known = eventTypeOf(textOrNull(item.type, 100) ?? '');
  if (known === undefined) return null;
  const span = spanOf(item, nowMs, timeZone);
  if (isProblem(span)) return span;
  const { id, ...times } = span;
  const days = longestDays[known.type];
  if (span.end_ms - span.start_ms > days * dayMs)
    return { field: 'endDate', reason: `is more than ${days * 24} hours after startDate` };
  const data = dataOf(item, id, known);
  if ('reason' in data) return data;
  const { device } = sourceOf(item);
  return {
    ...bareItem,
    ...{ data_type: known.type, key: id, hash: hashOf({ ...times, device, data }), supersede: 'latest' },
    duration_seconds: Math.round((span.end_ms - span.start_ms) / 1000),
    other: { type: known.type, ...times, date: null, device, data: { ...data } },
  };
}

function dataOf(item: RawItem, id: string, type: EventType): object | Problem {
  if (type.type === 'nutrition') return nutritionOf(item, id, type);
  return type.type === 'cycle_record' ? cycleOf(item, type) : {};
}

// The app for Android sends a meal as a record of its own. The nutrients of the meal name it as their parent.
function nutritionOf(item: RawItem, id: string, { nutrient }: Of<'nutrition'>): NutritionData | Problem {
  const metadata = isObject(item.metadata) ? item.metadata : {};
  const amount = nutrient === null ? null : amountOf(item, nutrientUnits[nutrient]);
  if (typeof amount === 'object' && amount !== null) return amount;
  const meal_id = nutrient === null ? id : textOrNull(item.parentId, 200);
  const name = textOrNull(metadata.title ?? metadata.HKFoodType, 500);
  const meal = textOrNull(metadata.mealType ?? metadata.HKFoodMeal, 60);
  return {
    ...(nutrient === null || amount === null ? {} : { [nutrient]: amount }),
    ...(meal_id === null ? {} : { meal_id }),
    ...(name === null ? {} : { name }),
    ...(meal === null ? {} : { meal_type: meal.toLowerCase().replaceAll(/\s+/g, '_') }),
  };
}

const most = 1_000_000;
/** More digits are only errors of conversions. */
const digits = 6;

function amountOf({ value, unit }: RawItem, wanted: string): number | Problem {
  if (typeof value !== 'number' || !Number.isFinite(value))
    return { field: 'value', reason: 'must be a number' };
  const converted = convert(value, textOrNull(unit, 60), wanted);
  if (converted === null) return { field: 'unit', reason: 'is not known for this type' };
  if (converted < 0 || converted > most) return { field: 'value', reason: `must be 0 to ${most}` };
  return Number(converted.toFixed(digits));
}

function cycleOf(
  { value, metadata }: RawItem,
  { observation, values }: Of<'cycle_record'>,
): CycleRecordData | Problem {
  const found = value == null ? null : typeof value === 'number' ? values[value] : undefined;
  if (found === undefined) return { field: 'value', reason: 'is not known for this type' };
  const flags = isObject(metadata) ? metadata : {};
  const isStart = observation === 'menstrual_flow' ? flagOf(flags.HKMenstrualCycleStart) : null;
  const isProtected = observation === 'sexual_activity' ? flagOf(flags.HKSexualActivityProtectionUsed) : null;
  return {
    ...{ observation, value: found },
    ...(isStart === null ? {} : { is_cycle_start: isStart }),
    ...(isProtected === null ? {} : { is_protected: isProtected }),
  };
}

/** The app for iOS sends all metadata as text. */
function flagOf(value: unknown): boolean | null {
  const text = typeof value === 'string' ? value.toLowerCase() : value;
  if (text === true || text === 1 || text === '1' || text === 'true') return true;
  return text === false || text === 0 || text === '0' || text === 'false' ? false : null;
}

function hashOf(content: object): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url');
}
