import {
  type CycleObservation,
  cycleObservations,
  type Nutrient,
  nutrientUnits,
} from '../../../domain/provider/event-data.ts';

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
