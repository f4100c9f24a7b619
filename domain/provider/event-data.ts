/** The unit of each nutrient in `data` of an event of the type `nutrition`. The unit is the end of the name, too. */
export const nutrientUnits = {
  energy_kcal: 'kcal',
  energy_from_fat_kcal: 'kcal',
  carbohydrates_g: 'g',
  sugar_g: 'g',
  fiber_g: 'g',
  protein_g: 'g',
  fat_g: 'g',
  saturated_fat_g: 'g',
  unsaturated_fat_g: 'g',
  monounsaturated_fat_g: 'g',
  polyunsaturated_fat_g: 'g',
  trans_fat_g: 'g',
  cholesterol_mg: 'mg',
  sodium_mg: 'mg',
  potassium_mg: 'mg',
  calcium_mg: 'mg',
  chloride_mg: 'mg',
  iron_mg: 'mg',
  magnesium_mg: 'mg',
  phosphorus_mg: 'mg',
  zinc_mg: 'mg',
  copper_mg: 'mg',
  manganese_mg: 'mg',
  chromium_mcg: 'mcg',
  iodine_mcg: 'mcg',
  molybdenum_mcg: 'mcg',
  selenium_mcg: 'mcg',
  vitamin_a_mcg: 'mcg',
  vitamin_b6_mg: 'mg',
  vitamin_b12_mcg: 'mcg',
  vitamin_c_mg: 'mg',
  vitamin_d_mcg: 'mcg',
  vitamin_e_mg: 'mg',
  vitamin_k_mcg: 'mcg',
  thiamin_mg: 'mg',
  riboflavin_mg: 'mg',
  niacin_mg: 'mg',
  pantothenic_acid_mg: 'mg',
  biotin_mcg: 'mcg',
  folate_mcg: 'mcg',
  folic_acid_mcg: 'mcg',
  caffeine_mg: 'mg',
} as const satisfies Readonly<Record<string, 'kcal' | 'g' | 'mg' | 'mcg'>>;

/** A nutrient, by its name in `data`. */
export type Nutrient = keyof typeof nutrientUnits;

/** `data` of an event of the type `nutrition`: a meal, or what was eaten or drunk of one or more nutrients. */
export interface NutritionData extends Readonly<Partial<Record<Nutrient, number>>> {
  /** The events of one meal have the same value. */
  readonly meal_id?: string;
  readonly name?: string;
  /** In lower case, such as `breakfast` or `morning_snack`. */
  readonly meal_type?: string;
}

/** What a record of the menstrual cycle is about. */
export const cycleObservations = [
  ...(['menstrual_flow', 'intermenstrual_bleeding', 'cervical_mucus', 'ovulation_test'] as const),
  ...(['sexual_activity', 'pregnancy_test', 'progesterone_test', 'contraceptive'] as const),
  ...(['pregnancy', 'lactation', 'irregular_cycles', 'infrequent_cycles'] as const),
  ...(['prolonged_periods', 'persistent_intermenstrual_bleeding'] as const),
] as const;
export type CycleObservation = (typeof cycleObservations)[number];

/** `data` of an event of the type `cycle_record`. */
export interface CycleRecordData {
  readonly observation: CycleObservation;
  /** The finding, such as `light` or `positive`. Null: the observation has none, or none was sent. */
  readonly value: string | null;
  /** A menstrual flow: whether it is the first one of its cycle. */
  readonly is_cycle_start?: boolean;
  /** A sexual activity: whether protection was used. */
  readonly is_protected?: boolean;
}
