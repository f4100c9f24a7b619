import { get } from 'node:http';
import t from 'tap';
import { z } from 'zod';
import { at, block, item } from '../services/timeseries/items.ts';
import { createUser, startApi, userToken } from '../support/api.ts';
import { samplesOf } from '../support/fhir/samples-of.ts';
import { range, storeOfEveryKind } from '../support/fhir/user-data.ts';
import { problemsOf } from '../support/fhir/validate.ts';
import { memberToken } from '../support/members.ts';
import { until } from '../support/until.ts';
import { as, makeProject } from './projects/two-projects.ts';

const api = await startApi(t, {
  ...{ RATE_LIMIT_API_KEY: '100000', CHANGE_JOIN_SECONDS: '0', CHANGE_JOIN_HISTORICAL_SECONDS: '0' },
});
const userId = await createUser(api, { external_user_id: 'a' });
await storeOfEveryKind(api, userId);
const weigh = (user_id: string, kg: number, date = '2026-03-05') =>
  api.call('timeseries.store', {
    ...{ user_id, provider: 'devicemaker' },
    items: [item({ samples: [block('weight', [[at('07:00:00', date), kg]])] })],
  });

const Manifest = z.object({
  transactionTime: z.iso.datetime(),
  request: z.url(),
  requiresAccessToken: z.literal(true),
  output: z.array(z.object({ type: z.string(), url: z.url() })),
  error: z.array(z.unknown()),
  extension: z.object({ expires: z.string() }),
});
const Line = z.looseObject({ resourceType: z.string(), id: z.string() });

/** A client of FHIR Bulk Data: kick-off, status until it is 200, download of every file. */
async function bulk(path: string, key = api.apiKey) {
  const ask = (address: string, given: object = {}) =>
    api.ask(address.replace(api.url, ''), { key, ...given });
  const headers = { Accept: 'application/fhir+json', Prefer: 'respond-async' };
  const started = await ask(`/api/v1/fhir/${path}`, { headers });
  if (started.status !== 202) throw new Error(`${started.status} ${started.text}`);
  const location = started.headers.get('content-location') ?? '';
  let status = await ask(location);
  for (let polls = 0; status.status === 202 && polls < 50; polls += 1) status = await ask(location);
  const manifest = Manifest.parse(status.body);
  const download = async () => {
    const files = await Promise.all(manifest.output.map(({ url }) => ask(url)));
    return files.flatMap(({ text, headers: one, status: code }) => {
      if (code !== 200 || one.get('content-type') !== 'application/fhir+ndjson')
        throw new Error(`${code} ${text}`);
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => Line.parse(JSON.parse(line)));
    });
  };
  return { started, location, status, manifest, download, ask };
}

const ofType = (lines: z.infer<typeof Line>[], type: string) =>
  lines.filter(({ resourceType }) => resourceType === type);

t.test('a bulk client reads all users, and the numbers equal those of our own route', async (t) => {
  const other = await createUser(api, { external_user_id: 'b' });
  await weigh(other, 81);
  const { started, status, manifest, download } = await bulk('$export');
  t.match(started.body, { resourceType: 'OperationOutcome' });
  t.same(problemsOf(Object(started.body)), []);
  t.ok(Date.parse(status.headers.get('expires') ?? '') > Date.now());
  t.same(
    manifest.output.map(({ type }) => type),
    ['Patient', 'Device', 'Observation'],
  );
  const lines = await download();
  t.same(
    ofType(lines, 'Patient')
      .map(({ id }) => id)
      .toSorted(),
    [userId, other].toSorted(),
  );
  t.equal(ofType(lines, 'Device').length, 6);
  t.same([...new Set(lines.flatMap((line) => problemsOf(line)))], []);
  const own = await api.ask(`/api/v1/users/${userId}/timeseries/download?${range}`, { key: api.apiKey });
  const Sample = z.looseObject({ type: z.string(), timestamp: z.string(), value: z.number() });
  const samples = own.text
    .trimEnd()
    .split('\n')
    .map((line) => Sample.parse(JSON.parse(line)));
  const observations = ofType(lines, 'Observation').filter((one) =>
    JSON.stringify(one.subject).includes(userId),
  );
  t.same(
    samplesOf(observations)
      .map((one) => JSON.stringify(one))
      .toSorted(),
    samples.map(({ type, timestamp, value }) => JSON.stringify([type, timestamp, value])).toSorted(),
  );
});

t.test('an export of one user, of some types', async (t) => {
  const { manifest, download } = await bulk(`Patient/${userId}/$export?_type=Patient,Observation`);
  t.match(manifest.request, `/Patient/${userId}/$export?_type=Patient%2CObservation`);
  t.same(
    manifest.output.map(({ type }) => type),
    ['Patient', 'Observation'],
  );
  const lines = await download();
  t.same(
    ofType(lines, 'Patient').map(({ id }) => id),
    [userId],
  );
  t.ok(ofType(lines, 'Observation').length > 100);
});

t.test('_since: only Observations that may have changed', async (t) => {
  const user = await createUser(api);
  await weigh(user, 70);
  await api.call('timeseries.store', {
    ...{ user_id: user, provider: 'devicemaker' },
    items: [item({ samples: [block('height', [[at('07:00:00'), 180]])] })],
  });
  await until(async () => (await api.call('webhooks.changes', { user_id: user })).data.length >= 4);
  const { manifest } = await bulk(`Patient/${user}/$export`);
  const nothing = await bulk(`Patient/${user}/$export?_since=${manifest.transactionTime}`);
  t.same(ofType(await nothing.download(), 'Observation'), []);
  await weigh(user, 71, '2026-03-06');
  const later = await bulk(`Patient/${user}/$export?_since=${manifest.transactionTime}`);
  await until(async () => ofType(await later.download(), 'Observation').length > 0);
  t.match(
    samplesOf(ofType(await later.download(), 'Observation')).map(([type]) => type),
    ['weight'],
  );
});

t.test('users who are deleted, or were created later, are in no download', async (t) => {
  const gone = await createUser(api);
  await weigh(gone, 90);
  const { download, manifest } = await bulk('$export');
  const late = await createUser(api);
  await weigh(late, 91);
  await api.expect(200, `/users/${gone}`, { method: 'DELETE' });
  const text = JSON.stringify(await download());
  t.notMatch(text, gone);
  t.notMatch(text, late);
  t.match(text, userId);
  t.ok(Date.parse(manifest.transactionTime) <= Date.now());
});

t.test('many files share the users, each in one', async (t) => {
  const users = await Promise.all(Array.from({ length: 30 }, () => createUser(api)));
  const { location, ask } = await bulk('$export?_type=Patient');
  const found = await Promise.all(
    [1, 2, 3, 4, 5, 6, 7].map(async (one) => {
      const { text } = await ask(`${location}/Patient.${one}-of-7.ndjson`);
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => Line.parse(JSON.parse(line)).id);
    }),
  );
  const ids = found.flat();
  t.equal(new Set(ids).size, ids.length);
  t.same(
    users.filter((id) => !ids.includes(id)),
    [],
  );
  t.ok(found.filter((file) => file.length > 0).length > 3);
  for (const file of ['Patient.8-of-7.ndjson', 'Patient.0-of-7.ndjson', 'Device.1-of-1.ndjson'])
    t.equal((await ask(`${location}/${file}`)).status, 404, file);
  t.equal((await ask(`${location}/other.ndjson`)).status, 400);
});

t.test('a cancelled export and one that has expired are gone', async (t) => {
  const { location, ask, manifest } = await bulk('$export');
  t.equal((await ask(location, { method: 'DELETE' })).status, 202);
  for (const address of [location, manifest.output[0]?.url ?? '']) t.equal((await ask(address)).status, 404);
  t.equal((await ask(location, { method: 'DELETE' })).status, 404);
  const second = await bulk('$export');
  await api.database.query("update fhir.export set expires_at = now() - interval '1 second'");
  t.equal((await second.ask(second.location)).status, 404);
  await bulk('$export');
  t.equal((await api.database.query('select from fhir.export')).length, 1, 'expired rows are deleted');
});

t.test('a project keeps its 100 newest exports', async (t) => {
  for (let count = 0; count < 102; count += 1) await api.ask('/api/v1/fhir/$export', { key: api.apiKey });
  t.equal((await api.database.query('select from fhir.export')).length, 100);
});

t.test('another project has neither the export nor its users; a user has its own', async (t) => {
  const { location, manifest } = await bulk('$export');
  await makeProject(api, 'trial');
  const admin = { token: await memberToken(api, 'admin', 'trial') };
  const { key } = z
    .object({ key: z.string() })
    .parse(await as(api, admin, 201, '/api-keys', { body: { name: 'trial' } }));
  const path = (address: string) => address.replace(api.url, '');
  for (const address of [location, manifest.output[0]?.url ?? ''])
    t.equal((await api.ask(path(address), { key })).status, 404);
  const own = await bulk('$export', key);
  t.same(await own.download(), []);
  const token = await userToken(api, userId);
  t.equal((await api.ask(path(location), { token })).status, 403);
  const mine = await bulk(`Patient/${userId}/$export?_type=Patient`);
  t.equal((await api.ask(path(mine.location), { token })).status, 200);
  const file = await api.ask(path(mine.manifest.output[0]?.url ?? ''), { token });
  t.match(JSON.parse(file.text), { id: userId });
  const stranger = await userToken(api, await createUser(api));
  t.equal((await api.ask(path(mine.location), { token: stranger })).status, 403);
});

t.test('a download that breaks off is repeated from its beginning, and leaves nothing behind', async (t) => {
  const user = await createUser(api);
  const minutes = Array.from({ length: 30 * 1440 }, (_, minute): [number, number] => [
    at('00:00:00', '2025-01-01') + minute * 60_000,
    60.125 + (minute % 61),
  ]);
  for (let from = 0; from < minutes.length; from += 4000)
    await api.call('timeseries.store', {
      ...{ user_id: user, provider: 'devicemaker' },
      items: [item({ samples: [block('heart_rate', minutes.slice(from, from + 4000))] })],
    });
  const { manifest, download } = await bulk(`Patient/${user}/$export?_type=Observation`);
  const url = manifest.output[0]?.url ?? '';
  await new Promise<void>((resolve, reject) => {
    const request = get(url, { headers: { 'X-API-Key': api.apiKey } }, (answer) => {
      answer.once('data', () => answer.destroy());
      answer.once('close', () => resolve());
    });
    request.once('error', reject);
  });
  const lines = await download();
  t.equal(samplesOf(lines).length, minutes.length);
  t.equal(new Set(lines.map(({ id }) => id)).size, lines.length);
});

t.test('a download has an audit entry, and counts as a read of each user in it', async (t) => {
  const user = await createUser(api);
  await weigh(user, 77);
  const { download } = await bulk('$export?_type=Patient');
  await download();
  const Reads = z.object({ data: z.array(z.looseObject({ data_kind: z.string() })) });
  const read = async () =>
    Reads.parse((await api.ask(`/api/v1/users/${user}/accesses`, { token: api.developerToken })).body).data;
  await until(async () => (await read()).some(({ data_kind }) => data_kind === 'export'));
  const entries = await api.database.query(
    "select from auth.audit_entry where action = 'user.exported' and details ->> 'route' = '/fhir/export/:export_id/:file'",
  );
  t.ok(entries.length > 0);
});
