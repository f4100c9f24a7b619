import t from 'tap';
import { z } from 'zod';
import { createUser, startApi } from '../../support/api.ts';
import { installApp, watch as phoneWatch, record as uploaded } from '../phone-ingest/app.ts';
import { appleExport, element, importFile, iphone, record, watch } from './importing.ts';

const api = await startApi(t, { SANDBOX: 'off' });
const entered = '<MetadataEntry key="HKWasUserEntered" value="1"/>';

t.test('records become samples with their offsets, sources and units', async (t) => {
  const userId = await createUser(api);
  const done = await importFile(
    api,
    userId,
    appleExport([
      record('HeartRate', '07:00:00', '07:00:00', { unit: 'count/min', value: 61 }),
      record('BodyMass', '07:10:00', '07:10:00', { unit: 'lb', value: 100 }, [entered]),
      record('OxygenSaturation', '07:20:00', '07:20:00', { unit: '%', value: 0.97 }),
    ]),
  );
  t.match(done, { state: 'done', kind: 'apple_health', items: 4, error: null });
  t.same(done.counts, { heart_rate: 1, weight: 1, oxygen_saturation: 1 });
  t.same([done.start_time, done.end_time], ['2026-03-02T06:00:00Z', '2026-03-02T06:20:00Z']);
  const types = 'types=heart_rate&types=weight&types=oxygen_saturation';
  const range = 'start_time=2026-03-02T00:00:00Z&end_time=2026-03-03T00:00:00Z';
  const source = { provider: 'file', device: 'Apple Watch' };
  t.match(await api.expect(200, `/users/${userId}/timeseries?${types}&${range}`), {
    data: [
      { timestamp: '2026-03-02T06:00:00Z', type: 'heart_rate', value: 61, source },
      { type: 'weight', value: 45.359_237, source, recording_method: 'manual' },
      { type: 'oxygen_saturation', value: 97, source },
    ],
  });
});

const Data = z.object({ data: z.array(z.looseObject({ id: z.string().optional() })) });
const dates = 'start_date=2026-03-01&end_date=2026-03-05';
const read = async (userId: string, path: string) =>
  Data.parse(await api.expect(200, `/users/${userId}/${path}`)).data;
const steps = (at: string, end: string, value: number, fields = {}) =>
  record('StepCount', at, end, { unit: 'count', value, ...fields });

t.test('steps of a watch, a phone and an app on the phone do not add up', async (t) => {
  const app = await installApp(api);
  await app.sync({
    records: [
      uploaded('HKQuantityTypeIdentifierStepCount', '2026-03-02T06:00:00Z', 400, {
        ...{ endDate: '2026-03-02T06:10:00Z', source: phoneWatch },
      }),
    ],
  });
  const done = await importFile(
    api,
    app.userId,
    appleExport([
      steps('07:00:00', '07:10:00', 400),
      steps('07:00:00', '07:10:00', 380, iphone),
      steps('08:00:00', '08:10:00', 100, iphone),
    ]),
  );
  t.same(done.counts, { steps: 3 });
  const [day] = await read(app.userId, `summaries/activity?${dates}`);
  t.match(day, { date: '2026-03-02', steps: 500 });
});

const pressure = (type: string, value: number) =>
  record(`BloodPressure${type}`, '07:00:00', '07:00:00', { unit: 'mmHg', value });

t.test('records in a correlation count once, also where they are only there', async (t) => {
  const times = { startDate: '2026-03-02 07:00:00 +0100', endDate: '2026-03-02 07:00:00 +0100' };
  const both = [pressure('Systolic', 121), pressure('Diastolic', 78)];
  const type = 'HKCorrelationTypeIdentifierBloodPressure';
  const correlation = element('Correlation', { type, ...watch, ...times }, both);
  for (const entries of [[...both, correlation], [correlation]]) {
    const userId = await createUser(api);
    const done = await importFile(api, userId, appleExport(entries));
    t.same(done.counts, { blood_pressure_systolic: 1, blood_pressure_diastolic: 1 });
  }
});

t.test('meals, mindful sessions and the cycle become events', async (t) => {
  const userId = await createUser(api);
  const category = (type: string, value: string, content: readonly string[] = []) =>
    record(`HKCategoryTypeIdentifier${type}`, '07:00:00', '07:10:00', { value }, content);
  const start = '<MetadataEntry key="HKMenstrualCycleStart" value="1"/>';
  const name = '<MetadataEntry key="HKFoodType" value="Egg"/>';
  const done = await importFile(
    api,
    userId,
    appleExport([
      record('DietaryProtein', '07:00:00', '07:00:00', { unit: 'g', value: 12 }, [name]),
      category('MindfulSession', 'HKCategoryValueNotApplicable'),
      category('MenstrualFlow', 'HKCategoryValueMenstrualFlowMedium', [start]),
      category('CervicalMucusQuality', 'HKCategoryValueCervicalMucusQualityEggWhite'),
      category('SexualActivity', 'HKCategoryValueNotApplicable'),
      category('AppleStandHour', 'HKCategoryValueAppleStandHourStood'),
    ]),
  );
  t.same(done.counts, { nutrition: 1, mindfulness: 1, cycle_record: 3 });
  t.match(
    done.skipped.find(({ type }) => type.endsWith('AppleStandHour')),
    { items: 1 },
  );
  const data = (await read(userId, `events/other?${dates}`)).map((one) => Reflect.get(one, 'data'));
  const of = (observation: string) =>
    data.find((one) => Reflect.get(Object(one), 'observation') === observation);
  t.match(
    data.find((one) => Reflect.has(Object(one), 'protein_g')),
    { protein_g: 12, name: 'Egg' },
  );
  t.match(of('menstrual_flow'), { value: 'medium', is_cycle_start: true });
  t.match(of('cervical_mucus'), { value: 'egg_white' });
  t.match(of('sexual_activity'), { value: null });
});

t.test('a workout has its statistics, laps and metadata', async (t) => {
  const userId = await createUser(api);
  const times = { startDate: '2026-03-02 08:00:00 +0100', endDate: '2026-03-02 08:30:00 +0100' };
  const workout = element(
    'Workout',
    {
      ...{ workoutActivityType: 'HKWorkoutActivityTypeTraditionalStrengthTraining', ...watch, ...times },
      ...{ duration: 28, durationUnit: 'min', totalEnergyBurned: 200, totalEnergyBurnedUnit: 'Cal' },
    },
    [
      '<MetadataEntry key="HKElevationAscended" value="1200 cm"/>',
      '<WorkoutEvent type="HKWorkoutEventTypeLap" date="2026-03-02 08:05:00 +0100" duration="5" durationUnit="min"/>',
      '<WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" average="101.4" minimum="80" maximum="131" unit="count/min"/>',
      '<WorkoutRoute><FileReference path="/workout-routes/none.gpx"/></WorkoutRoute>',
    ],
  );
  const done = await importFile(api, userId, appleExport([workout]));
  t.match(done, { state: 'done', counts: { workouts: 1 } });
  const [listed] = await read(userId, `events/workouts?${dates}`);
  t.match(await api.expect(200, `/users/${userId}/events/workouts/${listed?.id}`), {
    ...{ type: 'strength_training', zone_offset: '+01:00', duration_seconds: 1800, calories_kcal: 200 },
    ...{ avg_heart_rate_bpm: 101, max_heart_rate_bpm: 131, elevation_gain_meters: 12 },
    laps: [{ start_time: '2026-03-02T07:05:00Z', end_time: '2026-03-02T07:10:00Z' }],
    details: { min_heart_rate_bpm: 80, moving_seconds: 1680 },
  });
});
