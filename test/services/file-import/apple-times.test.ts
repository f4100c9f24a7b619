import t from 'tap';
import { z } from 'zod';
import { startApi } from '../../support/api.ts';
import { caseFile, importedCase, streamsOf, unkept } from './cases.ts';
import { appleExport, element, record, watch } from './importing.ts';

const api = await startApi(t, { SANDBOX: 'off' });
const Days = z.object({ data: z.array(z.looseObject({ date: z.string(), steps: z.number().nullable() })) });

/** The steps of local days. */
async function stepsOf(userId: string, dates: string): Promise<string[]> {
  const { data } = Days.parse(await api.expect(200, `/users/${userId}/summaries/activity?${dates}`));
  return data.filter(({ steps }) => steps !== null).map(({ date, steps }) => `${date} ${steps}`);
}

const zone = (name: string) => [`<MetadataEntry key="HKTimeZone" value="${name}"/>`];
const steps = (at: string, value: number, content: readonly string[] = []) =>
  record('StepCount', at, at, { unit: 'count', value }, content);
const summer = 'start_date=2026-07-08&end_date=2026-07-13';

t.test('the zone of a record, else that of the user, decides the local day', async (t) => {
  const { userId, workouts } = await importedCase(api, caseFile('apple-zone.xml'));
  t.same(await stepsOf(userId, summer), ['2026-07-10 100', '2026-07-11 700']);
  t.match(workouts, [{ zone_offset: '+02:00' }]);
});

t.test('the zone of a trip counts for the records that state it', async (t) => {
  // All of 23:30 in Berlin: the next day in Tokyo and, by its name without a place, at UTC+9, and the day before at noon in New York.
  const at = '2026-07-10 22:30:00 +0100';
  for (const [content, day] of [
    [[], '2026-07-10'],
    [zone('Asia/Tokyo'), '2026-07-11'],
    [zone('GMT+0900'), '2026-07-11'],
    [zone('America/New_York'), '2026-07-10'],
    [zone('Nowhere/At_All'), '2026-07-10'],
  ] as const) {
    const { userId } = await importedCase(api, appleExport([steps(at, 50, content)]));
    t.same(await stepsOf(userId, summer), [`${day} 50`], content[0] ?? 'no zone');
  }
});

t.test(
  'without a zone of the user, what states its own zone decides, else the days of the export',
  async (t) => {
    const ride = element(
      'Workout',
      {
        ...{ workoutActivityType: 'HKWorkoutActivityTypeCycling', ...watch },
        ...{ startDate: '2025-07-10 08:00:00 +0100', endDate: '2025-07-10 08:30:00 +0100' },
      },
      zone('Europe/Berlin'),
    );
    const written = [steps('2025-07-10 23:30:00 +0100', 40), steps('2026-03-02 23:30:00 +0100', 60)];
    const exported = (entries: readonly string[]) => appleExport(entries);
    const { userId } = await importedCase(api, exported([ride, ...written]), {});
    t.same(await stepsOf(userId, 'start_date=2025-07-01&end_date=2026-04-01'), [
      '2025-07-11 40',
      '2026-03-02 60',
    ]);
  },
);

t.test('times of other forms are read', async (t) => {
  const { done } = await importedCase(api, caseFile('apple-dates.xml'));
  t.match(done, { counts: { heart_rate: 4 }, skipped: [] });
  t.same([done.start_time, done.end_time], ['2026-11-10T07:00:00Z', '2026-11-10T19:02:00Z']);
  const rate = (at: string) =>
    record('HeartRate', at, at, { unit: 'count/min', value: 61, startDate: at, endDate: at });
  const right = [
    '2026-03-02T07:00:00+01:00',
    '2026-03-02 12:30:00 AM +0100',
    '2026-03-02 12:30:00\u202FPM +0100',
  ];
  const wrong = ['2026-03-02 13:00:00 PM +0100', '20260230080000+0100', '2026-03-02 07:00:00'];
  const file = await importedCase(api, appleExport([...right, ...wrong].map(rate)));
  t.match(file.done, { counts: { heart_rate: 3 }, start_time: '2026-03-01T23:30:00Z' });
  t.same(file.done.end_time, '2026-03-02T11:30:00Z');
  t.ok(unkept(file.done).some((sentence) => sentence.endsWith('The time cannot be read. 3')));
});

t.test('positions in the element of a route become its track', async (t) => {
  const file = await importedCase(api, caseFile('apple-inline-route.xml'));
  const { latitude = [], speed = [] } = await streamsOf(api, file);
  t.same([latitude.length, latitude[0], speed.length], [120, 50, 120]);

  const location = (second: string, more = '') =>
    `<Location date="2026-03-02 08:00:${second} +0100" latitude="50.1" longitude="14.4" ${more}/>`;
  const routes = [
    `<WorkoutRoute>${location('01', 'speed="-1"')}${location('02', 'speed="2"')}</WorkoutRoute>`,
    `<WorkoutRoute>${location('03')}<Location date="?" latitude="1" longitude="2"/></WorkoutRoute>`,
  ];
  const times = { startDate: '2026-03-02 08:00:00 +0100', endDate: '2026-03-02 08:30:00 +0100' };
  const type = { workoutActivityType: 'HKWorkoutActivityTypeRunning', ...watch };
  const two = await importedCase(api, appleExport([element('Workout', { ...type, ...times }, routes)]));
  const track = await streamsOf(api, two);
  t.same([track.latitude?.length, track.speed], [3, [2]]);
  t.ok(unkept(two.done).includes('points: The time cannot be read. 1'));
});
