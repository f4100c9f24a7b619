import type { CycleObservation, Nutrient } from '../../../domain/provider/event-data.ts';

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

/** Nutrients by the end of their names in HealthKit, and in the app for Android. */
const nutrients: Readonly<Record<Nutrient, readonly [healthKit: string | null, android: string | null]>> = {
  energy_kcal: ['EnergyConsumed', 'ENERGY'],
  energy_from_fat_kcal: [null, 'ENERGY_FROM_FAT'],
  carbohydrates_g: ['Carbohydrates', 'CARBOHYDRATE'],
  sugar_g: ['Sugar', 'SUGAR'],
  fiber_g: ['Fiber', 'FIBER'],
  protein_g: ['Protein', 'PROTEIN'],
  fat_g: ['FatTotal', 'TOTAL_FAT'],
  saturated_fat_g: ['FatSaturated', 'SATURATED_FAT'],
  unsaturated_fat_g: [null, 'UNSATURATED_FAT'],
  monounsaturated_fat_g: ['FatMonounsaturated', 'MONOUNSATURATED_FAT'],
  polyunsaturated_fat_g: ['FatPolyunsaturated', 'POLYUNSATURATED_FAT'],
  trans_fat_g: [null, 'TRANS_FAT'],
  cholesterol_mg: ['Cholesterol', 'CHOLESTEROL'],
  sodium_mg: ['Sodium', 'SODIUM'],
  potassium_mg: ['Potassium', 'POTASSIUM'],
  calcium_mg: ['Calcium', 'CALCIUM'],
  chloride_mg: ['Chloride', 'CHLORIDE'],
  iron_mg: ['Iron', 'IRON'],
  magnesium_mg: ['Magnesium', 'MAGNESIUM'],
  phosphorus_mg: ['Phosphorus', 'PHOSPHORUS'],
  zinc_mg: ['Zinc', 'ZINC'],
  copper_mg: ['Copper', 'COPPER'],
  manganese_mg: ['Manganese', 'MANGANESE'],
  chromium_mcg: ['Chromium', 'CHROMIUM'],
  iodine_mcg: ['Iodine', 'IODINE'],
  molybdenum_mcg: ['Molybdenum', 'MOLYBDENUM'],
  selenium_mcg: ['Selenium', 'SELENIUM'],
  vitamin_a_mcg: ['VitaminA', 'VITAMIN_A'],
  vitamin_b6_mg: ['VitaminB6', 'VITAMIN_B6'],
  vitamin_b12_mcg: ['VitaminB12', 'VITAMIN_B12'],
  vitamin_c_mg: ['VitaminC', 'VITAMIN_C'],
  vitamin_d_mcg: ['VitaminD', 'VITAMIN_D'],
  vitamin_e_mg: ['VitaminE', 'VITAMIN_E'],
  vitamin_k_mcg: ['VitaminK', 'VITAMIN_K'],
  thiamin_mg: ['Thiamin', 'THIAMIN'],
  riboflavin_mg: ['Riboflavin', 'RIBOFLAVIN'],
  niacin_mg: ['Niacin', 'NIACIN'],
  pantothenic_acid_mg: ['PantothenicAcid', 'PANTOTHENIC_ACID'],
  biotin_mcg: ['Biotin', 'BIOTIN'],
  folate_mcg: ['Folate', 'FOLATE'],
  folic_acid_mcg: [null, 'FOLIC_ACID'],
  caffeine_mg: ['Caffeine', 'CAFFEINE'],
};

type Values = Readonly<Record<number, string | null>>;

/** The numbers that HealthKit sends where a record has no finding. */
const none: Values = { 0: null };
const flow: Values = { 1: 'unspecified', 2: 'light', 3: 'medium', 4: 'heavy', 5: 'none' };
const test: Values = { 1: 'negative', 2: 'positive', 3: 'indeterminate' };

/** Records of the menstrual cycle by their names in HealthKit, without the prefix. */
const cycle: Readonly<Record<string, readonly [CycleObservation, Values]>> = {
  MenstrualFlow: ['menstrual_flow', flow],
  IntermenstrualBleeding: ['intermenstrual_bleeding', none],
  CervicalMucusQuality: [
    'cervical_mucus',
    { 1: 'dry', 2: 'sticky', 3: 'creamy', 4: 'watery', 5: 'egg_white' },
  ],
  OvulationTestResult: [
    'ovulation_test',
    { 1: 'negative', 2: 'luteinizing_hormone_surge', 3: 'indeterminate', 4: 'estrogen_surge' },
  ],
  SexualActivity: ['sexual_activity', none],
  PregnancyTestResult: ['pregnancy_test', test],
  ProgesteroneTestResult: ['progesterone_test', test],
  Contraceptive: [
    'contraceptive',
    {
      ...{ 1: 'unspecified', 2: 'implant', 3: 'injection', 4: 'intrauterine_device' },
      ...{ 5: 'intravaginal_ring', 6: 'oral', 7: 'patch' },
    },
  ],
  Pregnancy: ['pregnancy', none],
  Lactation: ['lactation', none],
  IrregularMenstrualCycles: ['irregular_cycles', none],
  InfrequentMenstrualCycles: ['infrequent_cycles', none],
  ProlongedMenstrualPeriods: ['prolonged_periods', none],
  PersistentIntermenstrualBleeding: ['persistent_intermenstrual_bleeding', none],
};

const quantity = 'HKQuantityTypeIdentifierDietary';
const category = 'HKCategoryTypeIdentifier';

function* typesByName(): Generator<readonly [string, EventType]> {
  for (const name of ['FOOD', 'HKCorrelationTypeIdentifierFood'])
    yield [name, { type: 'nutrition', nutrient: null }];
  for (const [nutrient, [healthKit, android]] of Object.entries(nutrients)) {
    if (!isNutrient(nutrient)) continue;
    if (healthKit !== null) yield [quantity + healthKit, { type: 'nutrition', nutrient }];
    if (android !== null) yield [`DIETARY_${android}`, { type: 'nutrition', nutrient }];
  }
  yield [`${category}MindfulSession`, { type: 'mindfulness' }];
  for (const [name, [observation, values]] of Object.entries(cycle))
    yield [category + name, { type: 'cycle_record', observation, values }];
}

function isNutrient(name: string): name is Nutrient {
  return Object.hasOwn(nutrients, name);
}

const byName: ReadonlyMap<string, EventType> = new Map(typesByName());

/** The names of all record types that become events. */
export const eventTypeNames: readonly string[] = [...byName.keys()];

/** How records of a type become events; undefined if they do not. */
export function eventTypeOf(name: string): EventType | undefined {
  return byName.get(name);
}
