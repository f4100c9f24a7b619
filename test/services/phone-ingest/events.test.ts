import t from 'tap';
import { z } from 'zod';
import { reprocessForNewNormalisers } from '../../../services/deliveries/actions/reprocess.ts';
import { startApi } from '../../support/api.ts';
import { until } from '../../support/until.ts';
import { type App, installApp, iphone, record } from './app.ts';

const api = await startApi(t, { SANDBOX: 'off' });
const { database } = api;
const at = (time: string) => `2026-03-02T${time}:00Z`;
const range = 'start_date=2026-03-01&end_date=2026-03-04';

const Events = z.object({
  data: z.array(
    z.object({
      ...{ id: z.string(), type: z.string(), start_time: z.string(), end_time: z.string() },
      ...{ source: z.unknown(), data: z.record(z.string(), z.unknown()), zone_offset: z.string().nullable() },
    }),
  ),
});

async function eventsOf({ userId }: App, filter = '') {
  const page = await api.expect(200, `/users/${userId}/events/other?${range}&limit=100${filter}`);
  return Events.parse(page).data;
}

const dataOf = async (app: App, filter = '') =>
  (await eventsOf(app, filter)).map(({ data }) => data).toSorted((a, b) => keyOf(a).localeCompare(keyOf(b)));
const keyOf = (data: object) => JSON.stringify(data, Object.keys(data).sort());

const food = { appId: 'com.example.food', name: 'Food', deviceName: 'Pixel 9' };

/** A meal as the app for Android sends it: a parent, and a child of each nutrient. */
function meal(id: string, time: string) {
  const fields = { endDate: at(time), zoneOffset: '+02:00', source: food };
  const child = (suffix: string, type: string, value: number, unit: string) =>
    record(type, at(time), value, { ...fields, id: `${id}-${suffix}`, parentId: id, unit });
  const metadata = { title: 'Chicken with rice', mealType: 'dinner' };
  return [
    record('FOOD', at(time), 1, { ...fields, id, unit: null, metadata }),
    child('energy', 'DIETARY_ENERGY', 550, 'kcal'),
    child('protein', 'DIETARY_PROTEIN', 38.2, 'g'),
    child('sodium', 'DIETARY_SODIUM', 900, 'mg'),
  ];
}

const mealData = (meal_id: string) => [
  { energy_kcal: 550, meal_id },
  { meal_id, meal_type: 'dinner', name: 'Chicken with rice' },
  { meal_id, protein_g: 38.2 },
  { meal_id, sodium_mg: 900 },
];

const snack = () =>
  record('HKQuantityTypeIdentifierDietaryEnergyConsumed', at('10:00'), 120, {
    ...{ endDate: at('10:00'), unit: 'Cal', source: iphone, metadata: { HKFoodType: 'Banana' } },
  });
const session = () =>
  record('HKCategoryTypeIdentifierMindfulSession', at('07:00'), 0, { unit: null, endDate: at('07:10') });
const flow = (value = 3) =>
  record('HKCategoryTypeIdentifierMenstrualFlow', at('06:00'), value, {
    ...{ unit: null, endDate: at('06:00'), metadata: { HKMenstrualCycleStart: '1' } },
  });

t.test('nutrition, mindful sessions and records of the cycle are read as events', async (t) => {
  const app = await installApp(api);
  const records = [...meal('meal-1', '19:00'), snack(), session(), flow()];
  t.match(await app.sync({ records }), { received: 7, stored: 7, set_aside: 0, unmapped: {} });
  t.same(await dataOf(app, '&type=nutrition'), [{ energy_kcal: 120, name: 'Banana' }, ...mealData('meal-1')]);
  const [mindful] = await eventsOf(app, '&type=mindfulness');
  t.match(mindful, {
    ...{ type: 'mindfulness', start_time: at('07:00'), end_time: at('07:10'), zone_offset: null },
    ...{ source: { provider: 'phone', device: 'Apple Watch' } },
  });
  t.same(mindful?.data, {});
  t.same(await api.expect(200, `/users/${app.userId}/events/other/${mindful?.id}`), mindful);
  t.same(await dataOf(app, '&type=cycle_record'), [
    { is_cycle_start: true, observation: 'menstrual_flow', value: 'medium' },
  ]);
  const nutrition = await eventsOf(app, '&type=nutrition');
  t.match(nutrition[0], { zone_offset: '+02:00', source: { provider: 'phone', device: 'Pixel 9 (Food)' } });
});

t.test('the calendar and the export have the events', async (t) => {
  const app = await installApp(api);
  await app.sync({ records: [...meal('meal-2', '19:00'), session(), flow()] });
  const calendar = await api.expect(200, `/users/${app.userId}/data-calendar?${range}`);
  const row = (type: string, total: number) => ({ kind: 'other', type, provider: 'phone', total });
  t.match(calendar, { data: [row('cycle_record', 1), row('mindfulness', 1), row('nutrition', 4)] });
  const { text } = await api.ask(`/api/v1/users/${app.userId}/export`, { token: api.developerToken });
  t.equal(text.match(/"meal_id":\s*"meal-2"/g)?.length, 4);
});

t.test('sent twice they are stored once, and a changed one keeps its id', async (t) => {
  const app = await installApp(api);
  const [one, other] = [snack(), flow(2)];
  await app.sync({ records: [one, other] });
  await app.sync({ records: [other, one] });
  const stored = await eventsOf(app);
  t.equal(stored.length, 2);
  await app.sync({ records: [{ ...one, value: 140 }] });
  const changed = await eventsOf(app, '&type=nutrition');
  t.match(changed, [{ data: { energy_kcal: 140, name: 'Banana' } }]);
  t.ok(stored.some(({ id }) => id === changed[0]?.id));
});

t.test('an event that is deleted on the phone is gone, and does not return', async (t) => {
  const [app, untouched] = [await installApp(api), await installApp(api)];
  const [one, pause, period] = [snack(), session(), flow()];
  const all = { records: [one, pause, period, ...meal('meal-3', '19:00'), ...meal('meal-4', '20:00')] };
  await app.sync(all);
  await untouched.sync(all);
  t.equal((await eventsOf(app)).length, 11);
  await app.sync({ deleted: [one, pause, period].map(({ id, type }) => ({ id, type })) });
  t.equal((await eventsOf(app)).length, 8);
  await app.sync({ deleted: [{ id: 'meal-3', type: 'FOOD' }] });
  t.same(await dataOf(app), mealData('meal-4'), 'the nutrients of a deleted meal are gone with it');
  await app.sync(all);
  t.same(await dataOf(app), mealData('meal-4'));
  t.equal((await eventsOf(untouched)).length, 11);
  const left = 'select key from timeseries.item where user_id = $1 order by key';
  t.same(
    (await database.query<{ key: string }>(left, [app.userId])).map(({ key }) => key),
    meal('meal-4', '20:00')
      .map(({ id }) => id)
      .toSorted(),
  );
});

t.test('a kept upload from before becomes events, without what was deleted since', async (t) => {
  const app = await installApp(api);
  await app.sync({ records: [...meal('meal-5', '19:00'), ...meal('meal-6', '20:00'), session(), flow()] });
  // The former normaliser made nothing of them.
  for (const table of ['other_record', 'item'])
    await database.query(`delete from timeseries.${table} where user_id = $1`, [app.userId]);
  await app.sync({ deleted: [{ id: 'meal-6' }] });
  t.same(await eventsOf(app), []);
  await reprocessForNewNormalisers(database);
  await database.query(`update deliveries.normaliser set version = version - 1 where provider = 'phone'`);
  await reprocessForNewNormalisers(database);
  await until(async () => (await eventsOf(app)).length > 0);
  await until(async () => {
    const open = `select from deliveries.reprocess_run where provider = 'phone' and state = 'running'`;
    return (await database.query(open)).length === 0;
  });
  t.same(await dataOf(app), [
    ...mealData('meal-5').slice(0, 1),
    { is_cycle_start: true, observation: 'menstrual_flow', value: 'medium' },
    ...mealData('meal-5').slice(1),
    {},
  ]);
  const versions = await database.query(
    'select distinct normaliser_version as version from timeseries.other_record where user_id = $1',
    [app.userId],
  );
  t.equal(versions.length, 1);
});

t.test('an event with an unknown unit is set aside with its field', async (t) => {
  const app = await installApp(api);
  const odd = { ...snack(), id: 'odd', unit: 'furlongs' };
  const answer = await app.sync({ records: [odd, session()] });
  t.match(answer, { stored: 1, set_aside: 1, problems: [{ item: 'records', id: 'odd', field: 'unit' }] });
  t.equal((await eventsOf(app)).length, 1);
});
