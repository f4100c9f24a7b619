import { nutrientUnits } from '../../domain/provider/event-data.ts';
import { assumed, type Field, type FieldTable, kept, notKept } from '../../domain/provider/field-table.ts';
import { asSent, item } from './item-fields.ts';
import { type EventType, eventTypeNames, eventTypeOf } from './normalise/event-types.ts';

const ofDevice = 'describes the device, which the source names';
const unmarked = 'an event does not say how it was recorded';

/** The records of `eventTypes`. */
export const events: FieldTable = {
  ...item,
  type: kept(null, 'nutrition.protein_g', 'cycle_record.observation'),
  value: kept(asSent, 'nutrition.protein_g', 'cycle_record.value'),
  unit: kept(null, 'nutrition.protein_g'),
  endDate: kept(null, 'end_time', 'duration_seconds'),
  parentId: kept(null, 'nutrition.meal_id'),
  'metadata.title': kept(null, 'nutrition.name'),
  'metadata.mealType': kept(null, 'nutrition.meal_type'),
  'source.deviceId': notKept(ofDevice),
  'source.deviceType': notKept(ofDevice),
  'source.recordingMethod': notKept(unmarked),
  ...assumed({
    'metadata.HKFoodType': kept(null, 'nutrition.name'),
    'metadata.HKFoodMeal': kept(null, 'nutrition.meal_type'),
    'metadata.HKMenstrualCycleStart': kept(null, 'cycle_record.is_cycle_start'),
    'metadata.HKSexualActivityProtectionUsed': kept(null, 'cycle_record.is_protected'),
    'metadata.HKWasUserEntered': notKept(unmarked),
  }),
};

/** The types that the SDKs send today. */
const confirmed: ReadonlySet<string> = new Set([
  'FOOD',
  ...['EnergyConsumed', 'Carbohydrates', 'Protein', 'FatTotal'].map(
    (name) => `HKQuantityTypeIdentifierDietary${name}`,
  ),
  ...['MindfulSession', 'MenstrualFlow', 'CervicalMucusQuality', 'OvulationTestResult', 'SexualActivity'].map(
    (name) => `HKCategoryTypeIdentifier${name}`,
  ),
  ...[
    ...['ENERGY', 'PROTEIN', 'CARBOHYDRATE', 'FIBER', 'SUGAR', 'TOTAL_FAT', 'SATURATED_FAT', 'TRANS_FAT'],
    ...['MONOUNSATURATED_FAT', 'POLYUNSATURATED_FAT', 'CHOLESTEROL', 'SODIUM', 'POTASSIUM'],
    ...['VITAMIN_A', 'VITAMIN_C', 'CALCIUM', 'IRON', 'CAFFEINE'],
  ].map((name) => `DIETARY_${name}`),
]);

/** The ends of each type of `events`. */
export const eventTypes: FieldTable = Object.fromEntries(
  eventTypeNames.flatMap((name) => {
    const type = eventTypeOf(name);
    if (type === undefined) return [];
    return [[name, confirmed.has(name) ? fieldOf(type) : { ...fieldOf(type), assumed: true }]];
  }),
);

function fieldOf(type: EventType): Field {
  if (type.type === 'mindfulness') return kept(null, 'start_time', 'end_time');
  if (type.type === 'cycle_record') {
    const hasFindings = Object.values(type.values).some((value) => value !== null);
    const ends = hasFindings ? (['cycle_record.value'] as const) : [];
    return kept(hasFindings ? 'a code' : null, 'cycle_record.observation', ...ends);
  }
  if (type.nutrient === null) return kept(null, 'nutrition.meal_id', 'nutrition.name', 'nutrition.meal_type');
  return kept(`as its \`unit\` says, to ${nutrientUnits[type.nutrient]}`, `nutrition.${type.nutrient}`);
}
