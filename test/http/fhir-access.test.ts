import { randomUUID } from 'node:crypto';
import t from 'tap';
import { z } from 'zod';
import { resourceId, shortId } from '../../domain/fhir/ids.ts';
import { at, block, item } from '../services/timeseries/items.ts';
import { createUser, startApi, userToken } from '../support/api.ts';
import { storeOfEveryKind } from '../support/fhir/user-data.ts';
import { problemsOf } from '../support/fhir/validate.ts';
import { memberToken } from '../support/members.ts';
import { until } from '../support/until.ts';
import { as, makeProject } from './projects/two-projects.ts';

const api = await startApi(t, {
  ...{ RATE_LIMIT_API_KEY: '100000', CHANGE_JOIN_SECONDS: '0', CHANGE_JOIN_HISTORICAL_SECONDS: '0' },
});
const key = api.apiKey;
const fhir = (path: string, given: Parameters<typeof api.ask>[1] = { key }) =>
  api.ask(`/api/v1/fhir/${path}`, given);
const store = (user_id: string, samples: ReturnType<typeof block>[]) =>
  api.call('timeseries.store', { user_id, provider: 'devicemaker', items: [item({ samples })] });

const userId = await createUser(api);
await store(userId, [block('heart_rate', [[at('08:00:00'), 61]]), block('weight', [[at('09:00:00'), 70]])]);
const Bundle = z.looseObject({
  link: z.array(z.object({ relation: z.string(), url: z.string() })),
  entry: z.array(z.looseObject({ resource: z.looseObject({ id: z.string() }) })).default([]),
});
const first = Bundle.parse((await fhir(`Observation?patient=${userId}`)).body).entry[0]?.resource.id ?? '';
const device = Bundle.parse((await fhir(`Device?patient=${userId}`)).body).entry[0]?.resource.id ?? '';

/** A wrong request, and what its answer says. */
const wrong: readonly (readonly [string, RegExp])[] = [
  ['Observation', /patient: is required/],
  ['Observation?patient=7', /patient: must be the id of a Patient/],
  [`Observation?patient=${userId}&subject=Patient/${randomUUID()}`, /subject must not name another user/],
  [`Observation?patient=${userId}&date=yesterday`, /date: must be a date or a time/],
  [`Observation?patient=${userId}&date=ne2026-01-01`, /date: must be a date or a time/],
  [`Observation?patient=${userId}&date=ge2026-01-01&date=x`, /date.*: must be a date/],
  [`Observation?patient=${userId}&_lastUpdated=2026-01-01`, /_lastUpdated: must be ge or gt and a time/],
  [`Observation?patient=${userId}&_sort=code`, /_sort: must be date or -date/],
  [`Observation?patient=${userId}&_count=0`, /_count: must be at least 1/],
  [`Observation?patient=${userId}&_count=101`, /_count: must be at most 100/],
  [`Observation?patient=${userId}&category=vital`, /category: must be a category such as/],
  [`Observation?patient=${userId}&_cursor=x`, /The cursor is invalid/],
  [`Observation?patient=${userId}&_format=xml`, /_format: must be json/],
  [`Observation?patient=${userId}&value-quantity=5`, /value-quantity: is unknown/],
  [`Observation?patient:Patient=${userId}`, /patient:Patient: is unknown/],
  [`Observation?patient=${userId}&codes=8867-4`, /codes: is unknown; the nearest known/],
  ['Device', /patient: /],
  ['Patient?_count=x', /_count: must be a whole number/],
  ['Patient?_cursor=x', /The cursor is invalid/],
  ['Patient/7', /user_id: must be a UUID/],
  ['$export?_type=Practitioner', /_type: /],
  ['$export?_since=never', /_since: must be an ISO 8601 time/],
  ['$export?_outputFormat=csv', /_outputFormat: must be application\/fhir\+ndjson/],
];

const Outcome = z.looseObject({
  resourceType: z.literal('OperationOutcome'),
  issue: z.array(z.looseObject({ code: z.string(), diagnostics: z.string(), details: z.unknown() })),
});

t.test('a wrong request is answered 400 with an OperationOutcome that says what is wrong', async (t) => {
  for (const [path, text] of wrong) {
    const { status, body, headers } = await fhir(path);
    t.equal(status, 400, path);
    t.match(headers.get('content-type'), /^application\/fhir\+json/);
    t.match(Outcome.parse(body).issue[0]?.diagnostics, text, path);
    t.same(problemsOf(Object(body)), [], path);
    t.match(body, {
      issue: [{ details: { coding: [{ system: 'urn:pulsebus:error', code: headers.get('x-error-code') }] } }],
    });
  }
});

t.test('unknown parameters are ignored if the client wants it, misspelt ones too', async (t) => {
  const lenient = { key, headers: { Prefer: 'handling=lenient' } };
  const { status, body } = await fhir(`Observation?patient=${userId}&codes=8867-4&x=1`, lenient);
  t.equal(status, 200);
  t.equal(Bundle.parse(body).entry.length, 2);
  const strict = { key, headers: { Prefer: 'handling=strict' } };
  t.equal((await fhir(`Observation?patient=${userId}&x=1`, strict)).status, 400);
  t.equal(
    (await fhir(`Observation?patient=${userId}&_count=0`, lenient)).status,
    400,
    'known ones are checked',
  );
});

t.test('what is not there, and what may not be', async (t) => {
  const unknown = randomUUID();
  for (const path of [
    ...[`Patient/${unknown}`, `Observation?patient=${unknown}`, `Device?patient=${unknown}`],
    ...[
      `Observation/${resourceId(unknown, 'd1.20260301')}`,
      'Observation/x',
      `Observation/${resourceId(userId, 'd999999999.20260301')}`,
    ],
    ...[
      `Observation/${resourceId(userId, 'd1.99999999')}`,
      `Observation/${resourceId(userId, 'h1.99999999')}`,
      `Observation/${resourceId(userId, 'n.x')}`,
    ],
    ...[
      `Device/${resourceId(userId, 'x')}`,
      'Device/x',
      `Patient/${unknown}/$export`,
      'Practitioner',
      'export/x',
    ],
    ...[`export/${shortId(unknown)}`, `export/${resourceId(userId, shortId(unknown))}/Patient.1-of-1.ndjson`],
  ]) {
    const { status, body } = await fhir(path);
    t.equal(status, 404, path);
    t.match(body, { resourceType: 'OperationOutcome', issue: [{ code: 'not-found' }] }, path);
  }
  t.match(await fhir(`Patient/${userId}`, { key, method: 'DELETE' }), {
    status: 405,
    body: { issue: [{ code: 'not-supported' }] },
  });
  const nobody = await fhir(`Patient/${userId}`, {});
  t.match(nobody, { status: 401, body: { resourceType: 'OperationOutcome', issue: [{ code: 'login' }] } });
  t.equal(nobody.headers.get('www-authenticate'), 'Bearer');
  t.equal((await fhir('metadata', {})).status, 200);
});

t.test('a token of a user reads its own user only', async (t) => {
  const token = await userToken(api, userId);
  const other = await createUser(api);
  await store(other, [block('weight', [[at('09:00:00'), 80]])]);
  const theirs = Bundle.parse((await fhir(`Observation?patient=${other}`)).body).entry[0]?.resource.id;
  const own = [
    `Patient/${userId}`,
    `Patient?_id=${userId}`,
    `Observation?patient=${userId}`,
    `Observation?subject=Patient/${userId}`,
    `Observation/${first}`,
    `Device/${device}`,
  ];
  for (const path of own) t.equal((await fhir(path, { token })).status, 200, path);
  const foreign = [
    `Patient/${other}`,
    `Patient?_id=${other}`,
    'Patient',
    `Observation?patient=${other}`,
    `Observation/${theirs}`,
    `Device?patient=${other}`,
    `Patient/${other}/$export`,
    'Observation',
  ];
  for (const path of foreign) {
    const { status, text } = await fhir(path, { token });
    t.equal(status, 403, path);
    t.match(text, 'own user only');
  }
  t.match(await fhir('$export', { token }), { status: 403, text: /not permitted here/ });
  const both = await fhir(`Observation?patient=${userId}&subject=${other}`, { token });
  t.equal(both.status, 400, 'one token, two users');
});

t.test('a user of another project is like one who does not exist', async (t) => {
  await makeProject(api, 'clinic');
  const admin = { token: await memberToken(api, 'admin', 'clinic') };
  const made = z.object({ key: z.string() });
  const { key: foreign } = made.parse(await as(api, admin, 201, '/api-keys', { body: { name: 'clinic' } }));
  const paths = [
    `Patient/${userId}`,
    `Observation?patient=${userId}`,
    `Observation/${first}`,
    `Device?patient=${userId}`,
    `Device/${device}`,
    `Patient/${userId}/$export`,
  ];
  for (const path of paths) t.equal((await fhir(path, { key: foreign })).status, 404, path);
  t.match((await fhir(`Patient?_id=${userId}`, { key: foreign })).body, { total: 0 });
  t.match((await fhir('Patient', { key: foreign })).body, { total: 0 });
});

t.test('nothing of a user is found or read under the id of another one', async (t) => {
  const [full, empty] = [await createUser(api), await createUser(api)];
  await storeOfEveryKind(api, full);
  const { entry } = Bundle.parse((await fhir(`Observation?patient=${full}&_count=100&date=2026-03-01`)).body);
  const keys = entry.map(({ resource }) => resource.id.slice(26));
  const kinds = new Set(keys.map((one) => one.slice(0, 1)));
  t.same([...kinds].sort(), ['d', 'n', 't', 'v', 'w'], 'days, sleeps, totals, values and workouts');
  t.match((await fhir(`Observation?patient=${empty}`)).body, { total: 0 });
  t.match((await fhir(`Device?patient=${empty}`)).body, { total: 0 });
  const statuses = await Promise.all(
    keys.map(async (one) => (await fhir(`Observation/${resourceId(empty, one)}`)).status),
  );
  t.same([...new Set(statuses)], [404]);
  await store(empty, [block('weight', [[at('09:00:00'), 80]])]);
  const weight = await fhir(`Observation?patient=${empty}&date=2026-03-01`);
  t.equal(Bundle.parse(weight.body).entry.length, 1, 'of a day that both have data of');
});

t.test('reads are recorded under their kind', async (t) => {
  const user = await createUser(api);
  await store(user, [block('weight', [[at('09:00:00'), 80]])]);
  const token = await userToken(api, user);
  await fhir(`Observation?patient=${user}`, { token });
  await fhir(`Device?patient=${user}`, { token });
  await fhir(`Patient/${user}`, { token });
  const Reads = z.object({ data: z.array(z.looseObject({ data_kind: z.string(), count: z.int() })) });
  const accesses = async () =>
    Reads.parse((await api.ask(`/api/v1/users/${user}/accesses`, { token })).body).data;
  await until(async () => (await accesses())[0]?.count === 2);
  t.match(await accesses(), [{ data_kind: 'fhir', count: 2, actor: `user:${user}` }]);
});

t.test('_lastUpdated finds what may have changed, and nothing of other days and types', async (t) => {
  const user = await createUser(api);
  const weights = [1, 2, 3].map((day): [number, number] => [at('09:00:00', `2026-03-0${day}`), 70 + day]);
  await store(user, [block('weight', weights), block('height', [[at('09:00:00'), 170]])]);
  const changed = async (since: string) =>
    Bundle.parse((await fhir(`Observation?patient=${user}&_lastUpdated=${since}`)).body).entry.length;
  await until(async () => (await changed('ge2020-01-01')) === 4);
  await until(async () => {
    const { data } = await api.call('webhooks.changes', { user_id: user });
    return data.filter(({ type }) => type === 'timeseries.updated').length >= 2;
  });
  const since = new Date().toISOString();
  t.equal(await changed(`gt${since}`), 0);
  await store(user, [block('weight', [[at('10:00:00', '2026-03-02'), 75]])]);
  await until(async () => (await changed(`ge${since}`)) > 0);
  const { entry } = Bundle.parse(
    (await fhir(`Observation?patient=${user}&_lastUpdated=ge${since}&_sort=date`)).body,
  );
  const Value = z.looseObject({ valueQuantity: z.object({ value: z.number() }) });
  const values = entry.map(({ resource }) => Value.parse(resource).valueQuantity.value);
  t.ok(values.includes(72) && values.includes(75), 'the changed day');
  t.notOk(values.includes(170), 'no other type');
});

t.test('a deleted user is gone', async (t) => {
  const user = await createUser(api);
  await store(user, [block('weight', [[at('09:00:00'), 80]])]);
  const id = Bundle.parse((await fhir(`Observation?patient=${user}`)).body).entry[0]?.resource.id;
  await api.expect(200, `/users/${user}`, { method: 'DELETE' });
  for (const path of [`Patient/${user}`, `Patient/${user}/$export`])
    t.ok([404, 410].includes((await fhir(path)).status), path);
  await until(async () => (await fhir(`Observation/${id}`)).status === 404);
  await until(async () => (await fhir(`Observation?patient=${user}`)).status === 404);
});

t.test('clients that accept compressed answers, and HEAD', async (t) => {
  const answer = await fetch(`${api.url}/api/v1/fhir/Observation/${first}`, {
    headers: { 'X-API-Key': key, 'Accept-Encoding': 'gzip' },
  });
  t.match(await answer.json(), { resourceType: 'Observation', id: first });
  t.match(await fhir(`Observation/${first}`, { key, method: 'HEAD' }), { status: 200, text: '' });
});
