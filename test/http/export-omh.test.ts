import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import t from 'tap';
import { z } from 'zod';
import { sampleSchemas } from '../../domain/omh/point.ts';
import schemas from '../fixtures/omh/schemas.json' with { type: 'json' };
import { createUser, startApi, userToken } from '../support/api.ts';
import { minuteRates, storeOfEveryKind } from '../support/fhir/user-data.ts';

const api = await startApi(t, { RATE_LIMIT_API_KEY: '100000' });
const userId = await createUser(api);
await storeOfEveryKind(api, userId);

const ajv = new Ajv({ strict: false });
formats.default(ajv);
for (const [id, schema] of Object.entries(schemas)) ajv.addSchema({ ...schema, $id: id });

const Point = z.looseObject({
  header: z.looseObject({
    uuid: z.string(),
    schema_id: z.object({ name: z.string(), version: z.string(), namespace: z.string() }),
  }),
  body: z.looseObject({}),
});

/** What is wrong with a data point by the published schemas. */
function problemsOf(point: z.infer<typeof Point>): string[] {
  const { name, version } = point.header.schema_id;
  const checks: [string, unknown][] = [
    ['data-point', point],
    [`${name}-${version}`, point.body],
  ];
  return checks.flatMap(([id, value]) => (ajv.validate(id, value) ? [] : [`${id}: ${ajv.errorsText()}`]));
}

async function pointsOf(query = '') {
  const answer = await api.ask(`/api/v1/users/${userId}/export?format=omh${query}`, { key: api.apiKey });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Point.parse(JSON.parse(line)));
}

const named = (points: z.infer<typeof Point>[], name: string) =>
  points.filter(({ header }) => header.schema_id.name === name);

t.test('every data point validates, and each kind that has a schema is there', async (t) => {
  const points = await pointsOf();
  t.same([...new Set(points.flatMap(problemsOf))], []);
  const names = new Set(points.map(({ header }) => header.schema_id.name));
  const wanted = [
    ...Object.values(sampleSchemas).map(({ name }) => name),
    'blood-pressure',
    'sleep-episode',
    'physical-activity',
  ];
  t.same(
    wanted.filter((name) => !names.has(name)),
    [],
  );
  t.equal(new Set(points.map(({ header }) => header.uuid)).size, points.length, 'each once');
  const again = await pointsOf();
  t.same(again, points, 'with the same ids in each export');
});

t.test('the validation refuses what is wrong', (t) => {
  const [point] = named(
    [
      {
        header: { uuid: 'x', schema_id: { name: 'heart-rate', version: '2.0', namespace: 'omh' } },
        body: {},
      },
    ],
    'heart-rate',
  );
  t.match(point === undefined ? [] : problemsOf(point), [/source_creation_date_time/, /heart_rate/]);
  t.end();
});

t.test('values, times and sources', async (t) => {
  const points = await pointsOf();
  const rates = named(points, 'heart-rate');
  t.equal(rates.length, minuteRates.length + 1 + 2, 'each minute, one, and two at rest');
  t.match(
    named(points, 'body-weight').find(({ header }) => header.modality === 'self-reported'),
    {
      header: { external_datasheets: [{ datasheet_reference: 'urn:pulsebus:device:devicemaker:Scale' }] },
      body: {
        body_weight: { value: 71.35, unit: 'kg' },
        effective_time_frame: { date_time: '2026-03-01T07:00:00+00:00' },
      },
    },
  );
  t.match(
    named(points, 'blood-pressure').map(({ body }) => body),
    [{ systolic_blood_pressure: { value: 121 }, diastolic_blood_pressure: { value: 80 } }],
    'a reading without a diastolic pressure is no data point',
  );
  t.match(named(points, 'sleep-episode')[0]?.body, {
    total_sleep_time: { value: 28_800, unit: 'sec' },
    wake_after_sleep_onset: { value: 1800 },
    is_main_sleep: true,
    effective_time_frame: {
      time_interval: {
        start_date_time: '2026-02-28T23:00:00+01:00',
        end_date_time: '2026-03-01T07:00:00+01:00',
      },
    },
  });
  t.match(named(points, 'physical-activity')[0]?.body, {
    ...{ activity_name: 'running', distance: { value: 8123, unit: 'm' }, kcal_burned: { value: 512.5 } },
  });
  const steps = named(points, 'step-count').map(
    ({ body }) => z.looseObject({ step_count: z.object({ value: z.number() }) }).parse(body).step_count.value,
  );
  t.equal(steps.length, 26 + 1, 'intervals, and the total of the day; no sample without an end');
  t.ok(steps.includes(12_345));
});

t.test('since, tokens and wrong input', async (t) => {
  const all = await pointsOf();
  const later = await pointsOf('&since=2026-03-01T12:00:00Z');
  t.ok(later.length > 0 && later.length < all.length);
  t.same(await pointsOf('&since=0'), all, 'since 1970');
  const starts = later.map(
    ({ body }) => /"(?:start_date_time|date_time)":"([^"]+)"/.exec(JSON.stringify(body))?.[1] ?? '',
  );
  t.ok(starts.every((one) => Date.parse(one) >= Date.UTC(2026, 2, 1, 12)));
  const other = await createUser(api);
  const token = await userToken(api, userId);
  const path = (id: string, format = 'omh') => `/api/v1/users/${id}/export?format=${format}`;
  t.equal((await api.ask(path(userId), { token })).status, 200);
  t.equal((await api.ask(path(other), { token })).status, 403);
  t.equal((await api.ask(path(other), { key: api.apiKey })).text, '');
  t.equal((await api.ask(path('00000000-0000-4000-8000-000000000000'), { key: api.apiKey })).status, 404);
  t.equal((await api.ask(path(userId, 'xml'), { key: api.apiKey })).status, 422);
});
