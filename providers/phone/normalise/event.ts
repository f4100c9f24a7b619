import { hash } from 'node:crypto';
import {
  type CycleObservation,
  type CycleRecordData,
  cycleObservations,
  type Nutrient,
  type NutritionData,
  nutrientUnits,
} from '../../../domain/provider/event-data.ts';
import { assumed, each, type FieldTable, kept, notKept } from '../../../domain/provider/field-table.ts';
import { type Item, isItem } from '../../../domain/recipe/read-fields.ts';
import { bareItem, type StoreItem } from '../../../domain/records/records.ts';
import { dayMs } from '../../../domain/time/time.ts';
import { asSent, flagOf, isProblem, itemFields, ofDevice, type Problem, spanOf, textOrNull } from './item.ts';
import { amountOf } from './record.ts';
import { sourceOf } from './source.ts';

const unmarked = notKept('an event does not say how it was recorded');

/** Fields of the records of `eventTypes`. */
export const eventFields: FieldTable = {
  ...itemFields,
  type: kept(null, 'nutrition.protein_g', 'cycle_record.observation'),
  value: kept(asSent, 'nutrition.protein_g', 'cycle_record.value'),
  unit: kept(null, 'nutrition.protein_g'),
  endDate: kept(null, 'end_time', 'duration_seconds'),
  parentId: kept(null, 'nutrition.meal_id'),
  'metadata.title': kept(null, 'nutrition.name'),
  'metadata.mealType': kept(null, 'nutrition.meal_type'),
  ...each(ofDevice, 'source.deviceId', 'source.deviceType'),
  'source.recordingMethod': unmarked,
  ...assumed({
    'metadata.HKFoodType': kept(null, 'nutrition.name'),
    'metadata.HKFoodMeal': kept(null, 'nutrition.meal_type'),
    'metadata.HKMenstrualCycleStart': kept(null, 'cycle_record.is_cycle_start'),
    'metadata.HKSexualActivityProtectionUsed': kept(null, 'cycle_record.is_protected'),
    'metadata.HKWasUserEntered': unmarked,
  }),
};

type Of<T extends EventType['type']> = Extract<EventType, { type: T }>;

/** The longest spans of events. A pregnancy and a contraceptive last for months, so cycle records have no limit. */
const longestDays = { nutrition: 7, mindfulness: 1, cycle_record: Number.POSITIVE_INFINITY } as const;

/**
 * Reads an entry of `records` that is an event: nutrition, a mindful session or a record of the menstrual cycle. Its id is
 * the key, so an event that is sent again replaces itself. Null: its type is none of these.
 */
export function readEvent(item: Item, nowMs: number, timeZone: string | null): StoreItem | Problem | null {
  const known = eventTypeOf(textOrNull(item.type, 100) ?? '');
  if (known === undefined) return null;
  const span = spanOf(item, nowMs, timeZone);
  if (isProblem(span)) return span;
  const { id, ...times } = span;
  const [days, lengthMs] = [longestDays[known.type], span.end_ms - span.start_ms];
  if (lengthMs > days * dayMs)
    return { field: 'endDate', reason: `is more than ${days * 24} hours after startDate` };
  const data = dataOf(item, id, known);
  if (isProblem(data)) return data;
  const { device } = sourceOf(item);
  return {
    ...bareItem,
    data_type: known.type,
    key: id,
    supersede: 'latest',
    hash: hash('sha256', JSON.stringify({ ...times, device, data }), 'base64url'),
    duration_seconds: Math.round(lengthMs / 1000),
    other: { type: known.type, ...times, date: null, device, data: { ...data } },
  };
}

function dataOf(item: Item, id: string, type: EventType): object {
  if (type.type === 'nutrition') return nutritionOf(item, id, type);
  return type.type === 'cycle_record' ? cycleOf(item, type) : {};
}

const range = { min: 0, max: 1_000_000 };
/** More digits are only errors of conversions. */
const digits = 6;

// The app for Android sends a meal as a record of its own. The nutrients of the meal name it as their parent.
function nutritionOf(item: Item, id: string, { nutrient }: Of<'nutrition'>): NutritionData | Problem {
  const metadata = isItem(item.metadata) ? item.metadata : {};
  const amount = nutrient === null ? 0 : amountOf(item, nutrientUnits[nutrient], range);
  if (typeof amount !== 'number') return amount;
  const meal_id = nutrient === null ? id : textOrNull(item.parentId, 200);
  const name = textOrNull(metadata.title ?? metadata.HKFoodType, 500);
  const meal = textOrNull(metadata.mealType ?? metadata.HKFoodMeal, 60);
  return {
    ...(nutrient === null ? {} : { [nutrient]: Number(amount.toFixed(digits)) }),
    ...(meal_id === null ? {} : { meal_id }),
    ...(name === null ? {} : { name }),
    ...(meal === null ? {} : { meal_type: meal.toLowerCase().replaceAll(/\s+/g, '_') }),
  };
}

function cycleOf(
  { value, metadata }: Item,
  { observation, values }: Of<'cycle_record'>,
): CycleRecordData | Problem {
  const found = value == null ? null : typeof value === 'number' ? values[value] : undefined;
  if (found === undefined) return { field: 'value', reason: 'is not known for this type' };
  const flags = isItem(metadata) ? metadata : {};
  const isStart = observation === 'menstrual_flow' ? flagOf(flags.HKMenstrualCycleStart) : null;
  const isProtected = observation === 'sexual_activity' ? flagOf(flags.HKSexualActivityProtectionUsed) : null;
  return {
    observation,
    value: found,
    ...(isStart === null ? {} : { is_cycle_start: isStart }),
    ...(isProtected === null ? {} : { is_protected: isProtected }),
  };
}

/** How records of a type become events. */
export type EventType =
  | { readonly type: 'nutrition'; readonly nutrient: Nutrient | null }
  | { readonly type: 'mindfulness' }
  | {
      readonly type: 'cycle_record';
      readonly observation: CycleObservation;
      /** The findings by the numbers that are sent for them. */
      readonly values: Readonly<Record<number, string | null>>;
    };

/** Nutrients and observations with other names in HealthKit, and nutrients in the app for Android. */
const healthKitNames: Readonly<Partial<Record<Nutrient | CycleObservation, string>>> = {
  energy_kcal: 'EnergyConsumed',
  fat_g: 'FatTotal',
  saturated_fat_g: 'FatSaturated',
  monounsaturated_fat_g: 'FatMonounsaturated',
  polyunsaturated_fat_g: 'FatPolyunsaturated',
  cervical_mucus: 'CervicalMucusQuality',
  ovulation_test: 'OvulationTestResult',
  pregnancy_test: 'PregnancyTestResult',
  progesterone_test: 'ProgesteroneTestResult',
  irregular_cycles: 'IrregularMenstrualCycles',
  infrequent_cycles: 'InfrequentMenstrualCycles',
  prolonged_periods: 'ProlongedMenstrualPeriods',
};
const androidNames: Readonly<Partial<Record<Nutrient, string>>> = {
  carbohydrates_g: 'CARBOHYDRATE',
  fat_g: 'TOTAL_FAT',
};
const androidOnly: ReadonlySet<Nutrient> = new Set([
  ...(['energy_from_fat_kcal', 'unsaturated_fat_g', 'trans_fat_g', 'folic_acid_mcg'] as const),
]);

const test = ['negative', 'positive', 'indeterminate'];
/** The findings of HealthKit, by their numbers from 1. */
const findings: Readonly<Partial<Record<CycleObservation, readonly string[]>>> = {
  menstrual_flow: ['unspecified', 'light', 'medium', 'heavy', 'none'],
  cervical_mucus: ['dry', 'sticky', 'creamy', 'watery', 'egg_white'],
  ovulation_test: ['negative', 'luteinizing_hormone_surge', 'indeterminate', 'estrogen_surge'],
  pregnancy_test: test,
  progesterone_test: test,
  contraceptive: [
    'unspecified',
    'implant',
    'injection',
    'intrauterine_device',
    'intravaginal_ring',
    'oral',
    'patch',
  ],
};

/** The name of a nutrient or of an observation as HealthKit writes it. */
function healthKitName(name: Nutrient | CycleObservation): string {
  const words = name.replace(/_(kcal|g|mc?g)$/, '').split('_');
  return healthKitNames[name] ?? words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

const nutrients = Object.keys(nutrientUnits).filter((name): name is Nutrient => name in nutrientUnits);

function* typesByName(): Generator<readonly [string, EventType]> {
  for (const name of ['FOOD', 'HKCorrelationTypeIdentifierFood'])
    yield [name, { type: 'nutrition', nutrient: null }];
  for (const nutrient of nutrients) {
    const android = androidNames[nutrient] ?? nutrient.replace(/_[a-z]+$/, '').toUpperCase();
    if (!androidOnly.has(nutrient))
      yield [`HKQuantityTypeIdentifierDietary${healthKitName(nutrient)}`, { type: 'nutrition', nutrient }];
    yield [`DIETARY_${android}`, { type: 'nutrition', nutrient }];
  }
  yield ['HKCategoryTypeIdentifierMindfulSession', { type: 'mindfulness' }];
  for (const observation of cycleObservations) {
    const found = findings[observation]?.map((finding, index) => [index + 1, finding] as const);
    // HealthKit sends 0 where a record has no finding.
    const values = found === undefined ? { 0: null } : Object.fromEntries(found);
    const name = `HKCategoryTypeIdentifier${healthKitName(observation)}`;
    yield [name, { type: 'cycle_record', observation, values }];
  }
}

/** All record types that become events, by their names. */
export const eventTypes: ReadonlyMap<string, EventType> = new Map(typesByName());

/** How records of a type become events; undefined if they do not. */
export const eventTypeOf = (name: string): EventType | undefined => eventTypes.get(name);
