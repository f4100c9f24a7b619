import t from 'tap';
import { cycleObservations, nutrientUnits } from '../../../domain/provider/event-data.ts';
import { eventTypes } from '../../../providers/phone/normalise/event.ts';
import { recordTypeOf } from '../../../providers/phone/normalise/record.ts';
import { readItem } from '../../../providers/phone/upload.ts';

const nowMs = Date.UTC(2026, 2, 3);
const startDate = '2026-03-02T12:00:00Z';
const dietary = (name: string) => `HKQuantityTypeIdentifierDietary${name}`;
const category = (name: string) => `HKCategoryTypeIdentifier${name}`;

function read(type: string, value: unknown, unit: string | null, fields: Record<string, unknown> = {}) {
  const span = { startDate, endDate: startDate, zoneOffset: '+02:00' };
  return readItem('records', { id: 'one', type, ...span, value, unit, ...fields }, nowMs);
}

function dataOf(read: ReturnType<typeof readItem>): unknown {
  return read.list === 'events' ? read.event.other?.data : read;
}

/** Type, value and unit as sent; name and value in `data`. */
const amounts: readonly (readonly [
  type: string,
  value: number,
  unit: string,
  name: string,
  stored: number,
])[] = [
  [dietary('EnergyConsumed'), 2301.2, 'kJ', 'energy_kcal', 549.999917],
  [dietary('EnergyConsumed'), 550_000, 'cal', 'energy_kcal', 550],
  [dietary('Protein'), 38_200, 'mg', 'protein_g', 38.2],
  [dietary('Protein'), 0.038, 'kg', 'protein_g', 38],
  [dietary('Sodium'), 0.9, 'g', 'sodium_mg', 900],
  [dietary('Caffeine'), 95_000, 'mcg', 'caffeine_mg', 95],
  [dietary('VitaminB12'), 0.000_002_4, 'g', 'vitamin_b12_mcg', 2.4],
  [dietary('VitaminD'), 15, 'µg', 'vitamin_d_mcg', 15],
  [dietary('VitaminK'), 0.09, 'mg', 'vitamin_k_mcg', 90],
];

t.test('an amount of a nutrient is an event with the unit in its name', async (t) => {
  const wrong = amounts.flatMap(([type, value, unit, name, stored]) => {
    const data = dataOf(read(type, value, unit));
    return JSON.stringify(data) === JSON.stringify({ [name]: stored }) ? [] : [[type, unit, data]];
  });
  t.same(wrong, []);
});

t.test('an event has the span, the clock and the source of its record', async (t) => {
  const source = { appId: 'com.example.food', name: 'Food', deviceName: 'iPhone' };
  const endDate = '2026-03-02T12:30:00Z';
  const made = read('DIETARY_PROTEIN', 38, 'g', { endDate, source });
  if (made.list !== 'events') return t.fail('it is no event');
  const { data_type, key, supersede, duration_seconds, other } = made.event;
  t.same({ data_type, key, supersede }, { data_type: 'nutrition', key: 'one', supersede: 'latest' });
  t.equal(duration_seconds, 1800);
  t.same(other, {
    ...{ type: 'nutrition', start_ms: Date.parse(startDate), end_ms: Date.parse(endDate) },
    ...{ zone_offset_minutes: 120, date: null, device: 'iPhone (Food)', data: { protein_g: 38 } },
  });
  const again = read('DIETARY_PROTEIN', 38, 'g', { endDate, source, metadata: { note: 'private' } });
  t.same(again, made, 'other metadata is not kept, and makes no other version');
});

t.test('a meal has its name and type, and its nutrients name it', async (t) => {
  const metadata = { title: 'Chicken with rice', mealType: 'morning_snack' };
  t.same(dataOf(read('FOOD', 1, null, { metadata })), {
    meal_id: 'one',
    name: 'Chicken with rice',
    meal_type: 'morning_snack',
  });
  t.same(dataOf(read('DIETARY_ENERGY', 550, 'kcal', { id: 'one-energy', parentId: 'one' })), {
    energy_kcal: 550,
    meal_id: 'one',
  });
  const named = { HKFoodType: 'Eggs', HKFoodMeal: 'Morning Snack', HKWasUserEntered: '1' };
  t.same(dataOf(read(dietary('Protein'), 12, 'g', { metadata: named })), {
    protein_g: 12,
    name: 'Eggs',
    meal_type: 'morning_snack',
  });
});

t.test('a mindful session is an event without data', async (t) => {
  const made = read(category('MindfulSession'), 0, null, { endDate: '2026-03-02T12:10:00Z' });
  t.match(made, { list: 'events', event: { data_type: 'mindfulness', duration_seconds: 600 } });
  t.same(dataOf(made), {});
});

/** Type and value as HealthKit has them, metadata; observation, value and flags in `data`. */
const cycle: readonly (readonly [type: string, value: number | null, metadata: object, data: object])[] = [
  ['MenstrualFlow', 1, {}, { observation: 'menstrual_flow', value: 'unspecified' }],
  [
    ...(['MenstrualFlow', 3, { HKMenstrualCycleStart: '1' }] as const),
    { observation: 'menstrual_flow', value: 'medium', is_cycle_start: true },
  ],
  [
    ...(['MenstrualFlow', 5, { HKMenstrualCycleStart: false }] as const),
    { observation: 'menstrual_flow', value: 'none', is_cycle_start: false },
  ],
  ['MenstrualFlow', null, {}, { observation: 'menstrual_flow', value: null }],
  ['IntermenstrualBleeding', 0, {}, { observation: 'intermenstrual_bleeding', value: null }],
  ['CervicalMucusQuality', 5, {}, { observation: 'cervical_mucus', value: 'egg_white' }],
  ['OvulationTestResult', 2, {}, { observation: 'ovulation_test', value: 'luteinizing_hormone_surge' }],
  [
    ...(['SexualActivity', 0, { HKSexualActivityProtectionUsed: '0' }] as const),
    { observation: 'sexual_activity', value: null, is_protected: false },
  ],
  ['PregnancyTestResult', 2, {}, { observation: 'pregnancy_test', value: 'positive' }],
  ['Contraceptive', 6, {}, { observation: 'contraceptive', value: 'oral' }],
];

t.test('a record of the cycle has its observation and its finding in words', async (t) => {
  for (const [type, value, metadata, data] of cycle)
    t.same(dataOf(read(category(type), value, null, { metadata })), data, type);
});

t.test('what cannot be an event is named by field, without its value', async (t) => {
  const cases: [ReturnType<typeof readItem>, string][] = [
    [read(dietary('Protein'), 3, 'furlongs'), 'unit'],
    [read(dietary('Protein'), 3, 'kcal'), 'unit'],
    [read(dietary('VitaminD'), 400, 'IU'), 'unit'],
    [read(dietary('EnergyConsumed'), 3, 'g'), 'unit'],
    [read(dietary('Protein'), null, 'g'), 'value'],
    [read(dietary('Protein'), -1, 'g'), 'value'],
    [read(dietary('Protein'), 1e9, 'g'), 'value'],
    [read(category('MenstrualFlow'), 9, null), 'value'],
    [read(category('MenstrualFlow'), 'light', null), 'value'],
    [read(category('MindfulSession'), 0, null, { startDate: '2026-02-28T12:00:00Z' }), 'endDate'],
    [read(dietary('Protein'), 3, 'g', { startDate: '2026-02-01T12:00:00Z' }), 'endDate'],
    [read(dietary('Protein'), 3, 'g', { id: '' }), 'id'],
    [read(dietary('Protein'), 3, 'g', { startDate: 'noon' }), 'startDate'],
  ];
  t.same(
    cases.flatMap(([made, field]) =>
      made.list === 'set_aside' && made.in === 'records' && made.problem.field === field
        ? []
        : [[made, field]],
    ),
    [],
  );
  const long = { startDate: '2025-07-01T00:00:00Z' };
  t.match(read(category('Pregnancy'), 0, null, long), { list: 'events' }, 'a pregnancy lasts for months');
});

t.test('each nutrient and observation has a type, and no type is a series too', async (t) => {
  const types = [...eventTypes.values()];
  const nutrients = types.flatMap((one) => (one.type === 'nutrition' ? (one.nutrient ?? []) : []));
  t.same([...new Set(nutrients)].sort(), Object.keys(nutrientUnits).sort());
  const observations = types.flatMap((one) => (one.type === 'cycle_record' ? one.observation : []));
  t.same([...observations].sort(), [...cycleObservations].sort());
  t.same(
    [...eventTypes.keys()].filter((name) => recordTypeOf(name) !== undefined),
    [],
  );
  for (const [name, unit] of Object.entries(nutrientUnits)) t.ok(name.endsWith(`_${unit}`), name);
});
