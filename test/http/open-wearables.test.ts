import { readFileSync } from 'node:fs';
import t from 'tap';
import { z } from 'zod';
import { endpoints, pathParameters } from '../../services/api-gateway/rules/endpoints.ts';
import {
  namesOfOpenWearables,
  pathsOfOpenWearables,
} from '../../services/api-gateway/rules/open-wearables.ts';
import { seriesNames } from '../../stack/move-in/rules/sources.ts';
import { type Ask, createUser, createWearer, push, startApi, userToken } from '../support/api.ts';
import { until } from '../support/until.ts';

const api = await startApi(t, { DEVICEMAKER_CLIENT_ID: 'tests', DEVICEMAKER_CLIENT_SECRET: 'secret' });
const day = 1_767_225_600; // 2026-01-01
const { userId: user, account } = await createWearer(api);
const strained = {
  userId: account,
  summaryId: 'stress',
  startTimeInSeconds: day,
  startTimeOffsetInSeconds: 0,
  durationInSeconds: 1800,
  timeOffsetStressLevelValues: Object.fromEntries(Array.from({ length: 10 }, (_, n) => [n * 180, 20 + n])),
};
await push(api, { stressDetails: [strained] });

const theirKey = { 'X-Open-Wearables-API-Key': api.apiKey };
/** A request as a client of Open Wearables sends it. */
const asTheirs = (path: string, ask: Ask = {}) =>
  api.ask(`/api/v1${path}`, { ...ask, headers: { ...theirKey, ...ask.headers } });
const samples = (types: string) =>
  `/users/${user}/timeseries?start_time=2026-01-01&end_time=2026-01-02&limit=4&${types}`;
const Page = z.object({
  data: z.array(
    z.object({ timestamp: z.string(), type: z.string(), source: z.object({ provider: z.string() }) }),
  ),
  pagination: z.object({ next_cursor: z.string().nullable(), total_count: z.int() }),
});
const page = async (path: string, ask: Ask = {}) => Page.parse(await api.expect(200, path, ask));
const namesIn = ({ data }: z.infer<typeof Page>) => [
  ...new Set(data.flatMap(({ type, source }) => [type, source.provider])),
];
const ourNames = ['devicemaker_stress_level', 'devicemaker'];
const theirNames = ['garmin_stress_level', 'garmin'];

t.test('a key in the header of Open Wearables is a key on every route', async (t) => {
  t.equal((await asTheirs('/users')).status, 200);
  t.equal((await asTheirs('/users', { key: api.apiKey })).status, 200, 'the same key twice');
  t.equal((await asTheirs(`/users/${user}`, { method: 'HEAD' })).status, 200);
  const unknown = await api.ask('/api/v1/users', { headers: { 'X-Open-Wearables-API-Key': 'sk-unknown' } });
  t.match(unknown, { status: 401, body: { code: 'UNAUTHENTICATED' } });
  const token = await userToken(api, user);
  const misplaced = await api.ask('/api/v1/users', { headers: { 'X-Open-Wearables-API-Key': token } });
  t.match(misplaced, {
    status: 401,
    body: { detail: /X-Open-Wearables-API-Key takes an API key, not a token/ },
  });
});

t.test('two key headers with different keys are refused, whichever is valid', async (t) => {
  const other = `sk-${'0'.repeat(32)}`;
  for (const [ours, theirs] of [
    [api.apiKey, other],
    [other, api.apiKey],
    [api.apiKey, ''],
  ] as const) {
    const refused = await api.ask('/api/v1/users', {
      key: ours,
      headers: { 'X-Open-Wearables-API-Key': theirs },
    });
    t.match(refused, {
      status: 401,
      body: { detail: /^The headers X-API-Key and X-Open-Wearables-API-Key have different keys\./ },
    });
    t.notMatch(refused.text, /sk-/);
  }
});

t.test('series types have the names that the request used', async (t) => {
  t.same(namesIn(await page(samples('types=devicemaker_stress_level'))), ourNames);
  t.same(namesIn(await page(samples('types=garmin_stress_level'))), theirNames);
  for (const types of [
    'types=heart_rate&types=garmin_stress_level',
    'types=heart_rate,garmin_stress_level',
    'types=nike_fuel,%20garmin_stress_level',
    'types[]=garmin_stress_level',
    'types[0]=devicemaker_stress_level&types[1]=nike_fuel',
  ])
    t.same(namesIn(await page(samples(types))), theirNames, types);
  t.same(namesIn(await page(samples(''))), ourNames, 'a request without names');
  t.same(namesIn(Page.parse((await asTheirs(samples(''))).body)), theirNames, 'but with their header');
});

t.test('a type that later releases call otherwise has that name if the request used it', async (t) => {
  const { userId, account } = await createWearer(api);
  const epoch = { summaryId: 'e', activityType: 'WALKING', startTimeInSeconds: day, durationInSeconds: 900 };
  await push(api, {
    epochs: [
      {
        ...{ ...epoch, userId: account, startTimeOffsetInSeconds: 0, activeTimeInSeconds: 900 },
        ...{ activeKilocalories: 31, steps: 900, met: 3, intensity: 'ACTIVE' },
      },
    ],
  });
  const read = `/users/${userId}/timeseries?start_time=2026-01-01&end_time=2026-01-02`;
  const typesOf = async (types: string, ask: Ask = {}) =>
    new Set((await page(`${read}&types=${types}`, ask)).data.map(({ type }) => type));
  t.same(await typesOf('active_energy'), new Set(['active_energy']));
  t.same(await typesOf('energy'), new Set(['energy']));
  t.same(await typesOf('energy', { headers: theirKey }), new Set(['energy']));
});

t.test('a user token reads with their names too', async (t) => {
  const token = await userToken(api, user);
  const path = `/api/v1${samples('types=garmin_stress_level')}`;
  t.same(namesIn(Page.parse((await api.ask(path, { token })).body)), theirNames);
});

t.test('a cursor continues in the names of each request', async (t) => {
  const whole = await page(samples('types=devicemaker_stress_level'));
  const read: string[] = [];
  let cursor: string | null = '';
  for (let turn = 0; cursor !== null; turn += 1) {
    const isTheirs = turn % 2 === 0;
    const types = isTheirs ? 'types=garmin_stress_level' : 'types=devicemaker_stress_level';
    const at = cursor === '' ? '' : `&cursor=${cursor}`;
    const part: z.infer<typeof Page> = await page(`${samples(types)}${at}`);
    t.same(namesIn(part), isTheirs ? theirNames : ourNames);
    read.push(...part.data.map(({ timestamp }) => timestamp));
    cursor = part.pagination.next_cursor;
  }
  t.equal(read.length, whole.pagination.total_count);
  t.equal(new Set(read).size, read.length);
});

t.test('paths, filters and bodies name a provider by either name, and are answered in it', async (t) => {
  const made = await createUser(api);
  const link = (provider: string, provider_user_id: string) => ({
    body: { provider, provider_user_id },
  });
  const connections = `/users/${made}/connections`;
  t.match(await api.expect(201, connections, link('garmin', 'g')), { provider: 'garmin' });
  t.match(await api.expect(201, connections, link('activitynet', 's')), { provider: 'activitynet' });
  t.match(await api.expect(200, `${connections}/garmin`), { provider: 'garmin' });
  t.match(await api.expect(200, `${connections}/devicemaker`), { provider: 'devicemaker' });
  t.match(await api.expect(200, '/users?provider=strava'), { items: [{ id: made }], total: 1 });
  const providersOf = (body: unknown) =>
    z
      .array(z.object({ provider: z.string() }))
      .parse(body)
      .map(({ provider }) => provider)
      .sort();
  t.same(providersOf(await api.expect(200, connections)), ['activitynet', 'devicemaker']);
  t.same(providersOf((await asTheirs(connections)).body), ['garmin', 'strava']);
  const order = `/users/${made}/source-priority`;
  const changed = { method: 'PATCH', body: { series_type: 'steps', providers: ['strava', 'devicemaker'] } };
  t.match(await api.expect(200, order, changed), { overrides: [{ providers: ['strava', 'garmin'] }] });
  t.match(await api.expect(200, order), { overrides: [{ providers: ['activitynet', 'devicemaker'] }] });
  t.match(await api.expect(200, `${connections}/strava`, { method: 'DELETE' }), { provider: 'strava' });
});

t.test('a title in another spelling is accepted and answered with our name', async (t) => {
  for (const title of ['Garmin', 'GARMIN'])
    t.match(await api.expect(200, `/users/${user}/connections/${title}`), { provider: 'devicemaker' });
});

t.test('both names together are two names of one thing', async (t) => {
  t.same(namesIn(await page(samples('types=garmin_stress_level,devicemaker_stress_level'))), theirNames);
  const twice = { method: 'PATCH', body: { providers: ['garmin', 'devicemaker'] } };
  t.match(await api.expect(422, `/users/${user}/source-priority`, twice), {
    detail: /must not name anything twice/,
  });
});

t.test(
  'a filter of theirs that a route does not have is refused to their clients, and is ignored otherwise',
  async (t) => {
    const events = `/users/${user}/events`;
    const dates = 'start_date=2026-01-01&end_date=2026-01-02';
    for (const [path, field] of [
      [samples('provider=strava'), 'provider'],
      [samples('device_model=x&source=y'), 'source'],
      [samples('data_source_id=1'), 'data_source_id'],
      [samples('filter_by_priority=true'), 'filter_by_priority'],
      [samples('provider=garmin&provider=strava'), 'provider'],
      [`${events}/workouts?${dates}&type=running`, 'type'],
      [`${events}/sleep?${dates}&is_nap=false`, 'is_nap'],
      ['/users?has_active_connection=true', 'has_active_connection'],
      ['/users?last_synced_before=2026-01-01', 'last_synced_before'],
    ] as const) {
      const { status, body } = await asTheirs(path);
      t.equal(status, 422, path);
      const { errors } = z.object({ errors: z.array(z.object({ field: z.string() })) }).parse(body);
      t.ok(
        errors.some((error) => error.field === field),
        path,
      );
      t.equal((await api.ask(`/api/v1${path}`, { key: api.apiKey })).status, 200, path);
    }
    for (const path of [samples('filter_by_priority=false'), samples('anything=1'), '/users?provider=garmin'])
      t.equal((await asTheirs(path)).status, 200, path);
  },
);

t.test('an unknown name is refused as before', async (t) => {
  for (const path of [
    '/users?provider=garmi',
    '/users?provider=garmin,strava',
    `/users/${user}/connections/garmin_stress_level`,
    samples('types=garmin_'),
    samples('types=garmin_steps'),
    samples('types=strava_stress_level'),
    samples('types=garmin'),
  ])
    t.match(await asTheirs(path), { status: 422, body: { code: 'VALIDATION_FAILED' } }, path);
  t.match(await asTheirs(`/users/${user}/connections/strava`), { status: 404 });
});

t.test(
  'an Idempotency-Key stands for the request in either name, and each is answered in its own',
  async (t) => {
    const made = await createUser(api);
    const headers = { 'Idempotency-Key': 'either name' };
    const connect = (provider: string, their: object = {}) =>
      api.ask(`/api/v1/users/${made}/connections`, {
        key: api.apiKey,
        headers: { ...headers, ...their },
        body: { provider, provider_user_id: 'either' },
      });
    const answers = [
      await connect('garmin'),
      await connect('devicemaker'),
      await connect('devicemaker', theirKey),
      await connect('garmin'),
    ];
    t.same(
      answers.map(({ status, body, headers }) => [
        status,
        z.object({ provider: z.string() }).parse(body).provider,
        headers.get('idempotent-replayed'),
      ]),
      [
        [201, 'garmin', null],
        [201, 'devicemaker', 'true'],
        [201, 'garmin', 'true'],
        [201, 'garmin', 'true'],
      ],
    );
    t.match(await connect('strava'), { status: 409, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    const other = await createUser(api);
    const both = await Promise.all(
      ['garmin', 'devicemaker', 'garmin'].map((provider) =>
        api.ask(`/api/v1/users/${other}/connections`, {
          key: api.apiKey,
          headers: { 'Idempotency-Key': 'at once' },
          body: { provider, provider_user_id: 'at once' },
        }),
      ),
    );
    t.equal(new Set(both.map(({ body }) => z.object({ id: z.string() }).parse(body).id)).size, 1);
  },
);

t.test('answers are not cached, so that no cache mixes the names', async (t) => {
  const { headers } = await asTheirs(samples('types=garmin_stress_level'));
  t.equal(headers.get('cache-control'), 'no-store');
  t.equal(headers.get('etag'), null);
});

t.test('streams and errors keep our names', async (t) => {
  const path = `/users/${user}/timeseries/download?start_time=2026-01-01&end_time=2026-01-02&types=garmin_stress_level`;
  const { status, text, headers } = await asTheirs(path);
  t.equal(status, 200);
  t.match(text, /devicemaker_stress_level/);
  t.notMatch(text, /garmin/);
  t.match(headers.get('content-disposition') ?? '', /devicemaker_stress_level/);
  t.match(await asTheirs(`/users/${user}/connections/fitband`), {
    body: { detail: /provider must be devicemaker \(Garmin\), activitynet \(Strava\)/ },
  });
});

t.test("text of users that is a provider's name stays", async (t) => {
  const made = await api.expect(201, '/users', {
    headers: theirKey,
    body: { first_name: 'devicemaker', last_name: 'garmin', external_user_id: 'activitynet' },
  });
  t.match(made, { first_name: 'devicemaker', last_name: 'garmin', external_user_id: 'activitynet' });
});

t.test('paths of Open Wearables lead to the routes that take the same', async (t) => {
  const link = await asTheirs(`/oauth/garmin/authorize?user_id=${user}`);
  t.match(link, { status: 200, body: { authorization_url: /^https:/, state: String } });
  t.match(await asTheirs(`/oauth/fitband/authorize?user_id=${user}`), { status: 422 });
  t.equal((await api.ask(`/api/v1/oauth/garmin/authorize?user_id=${user}`)).status, 401);
  const wrongMethod = await asTheirs('/oauth/garmin/authorize', { method: 'POST', body: {} });
  t.same([wrongMethod.status, wrongMethod.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);

  const developer = { token: api.developerToken };
  const keys = '/api/v1/developer/api-keys';
  const Key = z.object({ id: z.string(), name: z.string(), key: z.string().optional() });
  const made = Key.parse((await api.ask(keys, { ...developer, body: { name: 'By their path' } })).body);
  const renamed = { ...developer, method: 'PATCH', body: { name: 'Renamed' } };
  t.match((await api.ask(`${keys}/${made.id}`, renamed)).body, { name: 'Renamed' });
  const rotated = await api.ask(`${keys}/${made.id}/rotate`, { ...developer, method: 'POST' });
  t.equal(rotated.status, 201);
  const { id } = Key.parse(rotated.body);
  t.ok(
    z
      .array(Key)
      .parse((await api.ask(keys, developer)).body)
      .some((key) => key.id === id),
  );
  t.equal((await api.ask(`${keys}/${id}`, { ...developer, method: 'DELETE' })).status, 200);
  t.equal((await asTheirs('/developer/api-keys')).status, 403, 'a key does not manage keys');

  const file = await asTheirs(`/users/${user}/import/apple/xml/direct`, {
    body: '<HealthData/>',
    headers: { 'Content-Type': 'application/octet-stream' },
  });
  t.match(file, { status: 202, body: { user_id: user } });
});

t.test('their path of the data of a connection deletes it, whatever the query states', async (t) => {
  const { userId, account } = await createWearer(api);
  await push(api, { stressDetails: [{ ...strained, userId: account }] });
  const read = `/users/${userId}/timeseries?start_time=2026-01-01&end_time=2026-01-02`;
  t.ok((await page(read)).pagination.total_count > 0);
  const token = await userToken(api, userId);
  const path = `/users/${userId}/connections/garmin/data?purge=false`;
  t.equal((await api.ask(`/api/v1${path}`, { method: 'DELETE', token })).status, 403);
  t.match(await asTheirs(path, { method: 'DELETE' }), {
    status: 200,
    body: { provider: 'garmin', status: 'revoked' },
  });
  await until(async () => (await page(read)).pagination.total_count === 0);
});

t.test(
  'the page about their API names routes that exist, and claims the same of those that do',
  async (t) => {
    const anyName = (path: string) => path.replace(/\{[a-z_]+\}/g, '{}').replace(/:[a-z_]+/g, '{}');
    const ours = new Set(endpoints.map(({ route }) => `${route.method} ${anyName(route.path)}`));
    const theirs = pathsOfOpenWearables.map(({ method, theirs }) => `${method} ${anyName(theirs)}`);
    const routesIn = (cell: string) =>
      [...cell.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^`?…]*)[^`]*`/g)]
        .map(([whole, method, path = '']) => ({ whole, route: `${method} ${anyName(path)}` }))
        .filter(({ whole }) => !whole.includes('…'));
    const rows = readFileSync('docs/from-open-wearables.md', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
    const missing = rows
      .flatMap(([, ...here]) => here.flatMap(routesIn))
      .filter(({ route }) => !ours.has(route) && route !== 'GET /openapi.json');
    t.same(missing, []);
    const untrue = rows.flatMap(([there = '', claim]) =>
      routesIn(there).filter(({ route }) => {
        const isRoute = ours.has(route) || theirs.includes(route);
        return claim === 'same' ? !isRoute : claim === 'none' && isRoute;
      }),
    );
    t.same(untrue, []);
    t.ok(rows.length > 60);
  },
);

t.test('a move stores the series that a request by their name reads', async (t) => {
  const offenders = Object.keys(seriesNames).filter((code) => !namesOfOpenWearables.includes(code));
  t.same(
    offenders,
    ['withings_pulse_wave_velocity', 'withings_metabolic_age'],
    'docs/from-open-wearables.md',
  );
});

t.test('each of their paths has the parameters of the route that it leads to', async (t) => {
  const offenders = pathsOfOpenWearables.filter(
    ({ theirs, ours }) => pathParameters(theirs).join() !== pathParameters(ours).join(),
  );
  t.same(offenders, []);
});

const oddities: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  ',',
  'garmin,strava',
  'garmin\u0000',
  'garmins',
  'toString',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  [],
  ['garmin'],
  [['garmin']],
  [null, 'garmin', {}],
  {},
  { garmin: 'garmin' },
  { toString: 'garmin' },
  { length: 1, 0: 'garmin' },
];

t.test('values of wrong types and names of Object.prototype are refused, and nothing fails', async (t) => {
  const made = await createUser(api);
  const wrong = async (path: string, ask: Ask, what: string) => {
    const { status, text } = await asTheirs(path, ask);
    t.ok(status === 422 || status === 400, `${status} ${what}: ${text.slice(0, 200)}`);
  };
  for (const value of oddities) {
    const text = JSON.stringify(value);
    const link = { body: { provider: value, provider_user_id: 'odd' } };
    await wrong(`/users/${made}/connections`, link, `body ${text}`);
    const isList = Array.isArray(value) && value[0] === 'garmin';
    if (value !== null && !isList)
      await wrong(
        `/users/${made}/source-priority`,
        { method: 'PATCH', body: { providers: value } },
        `list ${text}`,
      );
    if (typeof value !== 'string' || value === '') continue;
    const inAddress = encodeURIComponent(value);
    await wrong(`/users/${made}/connections/${inAddress}`, {}, `path ${text}`);
    await wrong(`/users?provider=${inAddress}`, {}, `filter ${text}`);
    await wrong(samples(`types=${inAddress}`), {}, `types ${text}`);
  }
  for (const body of [
    '{"__proto__":{"provider":"garmin"},"provider_user_id":"a"}',
    '["garmin"]',
    '"garmin"',
    'null',
  ])
    await wrong(`/users/${made}/connections`, { body }, body);
  for (const query of [
    'provider[]=garmin',
    'provider[0]=garmin',
    'provider=garmin&provider=strava',
    'provider[garmin]=1',
  ])
    await wrong(`/users?${query}`, {}, query);
  t.same(await api.expect(200, `/users/${made}/connections`), []);
});
