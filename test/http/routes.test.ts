import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { z } from 'zod';
import { Pulsebus, PulsebusError } from '../../clients/typescript/src/index.ts';
import { apiPrefix, credentialsOf, takesQuery } from '../../domain/contract.ts';
import { resourceId, shortId } from '../../domain/fhir/ids.ts';
import {
  consolePrefix,
  type Endpoint,
  endpointOf,
  endpoints,
  isOfConsole,
  pathParameters,
} from '../../services/api-gateway/rules/endpoints.ts';
import { playProvider } from '../services/connect/provider.ts';
import { activity, block, item, night, other, sleep, workout } from '../services/timeseries/items.ts';
import { type Answer, type Ask, startApi } from '../support/api.ts';
import { conformanceTo } from '../support/conformance.ts';
import { insertDeveloper } from '../support/developer.ts';
import { memberToken } from '../support/members.ts';
import { until } from '../support/until.ts';
import { as, fillProject, makeProject, pushWorkout, withWorkout } from './projects/two-projects.ts';
import {
  alive,
  consoleSessions,
  credentialsFor,
  expectedOf,
  isLetIn,
  limited,
  secret,
} from './routes/credentials.ts';
import { challenges, receivers, refusals } from './routes/pulled.ts';
import { bodyOf, documented, operationOf, operations, type Request, requestsOf } from './routes/requests.ts';
import { queriesOf, type Row, rows } from './routes/rows.ts';
import { fieldsOf, misspellings, wrongValuesOf } from './routes/wrong-values.ts';

/*
 * Walks every route: who is let in, what is refused, whose data is shown, the form of the answer, the entry in the audit
 * trail. Two projects have the same things. A route without a row fails, as does one whose documented example fails.
 */
const provider = await playProvider(t);
const webhookSecret = 'a-secret-address-of-the-tests-with-32-characters';
const addresses = endpoints.flatMap(({ route: { secretAddress } }) =>
  secretAddress === undefined ? [] : [[`WEBHOOK_SECRET_${secretAddress.toUpperCase()}`, webhookSecret]],
);
const api = await startApi(t, {
  ...provider.settings,
  JWT_SECRET: secret,
  RATE_LIMIT_API_KEY: '1000000',
  RATE_LIMIT_SDK: '1000000',
  RATE_LIMIT_DEVELOPER: '1000000',
  BACKFILL_ON_CONNECT: 'false',
  WEBHOOK_ENDPOINT_ORIGINS: 'http://127.0.0.1:9',
  ACTIVITYNET_VERIFY_TOKEN: 'the-verify-token',
  ...Object.fromEntries(addresses),
});
await makeProject(api, 'other');
let ours = await fillProject(api, 'default');
let theirs = await fillProject(api, 'other');
await pushWorkout(api);
[ours, theirs] = [await withWorkout(api, ours), await withWorkout(api, theirs)];
const user = ours.userId;
const credentials = await credentialsFor(api, user);
const names = Object.keys(credentials);
const sessions = await consoleSessions(api);

const nameOf = ([method, path]: Row) => `${method} ${path}`;
const endpointFor = ([method, path]: Row) =>
  endpoints.find(({ route }) => route.method === method && route.path === path);

t.test('every route has its row, and every row its route', async (t) => {
  const routes = endpoints.map(({ route }) => `${route.method} ${route.path}`);
  t.strictSame(rows.map(nameOf).sort(), [...routes, 'GET /openapi.json'].sort());
});

t.test('whoever may change something may read its state', async (t) => {
  const parentOf = (path: string) => (/\/:[a-z_]+$/.test(path) ? path.slice(0, path.lastIndexOf('/')) : null);
  const offenders: string[] = [];
  for (const [method, path, who] of rows.filter(([method]) => method !== 'GET'))
    for (const [readMethod, read, mayRead] of rows) {
      const isOfIt = read === path || parentOf(read) === path || parentOf(path) === read;
      if (readMethod !== 'GET' || !isOfIt || who === 'anybody' || mayRead === 'anybody') continue;
      if (who === 'client' || mayRead === 'client') continue;
      for (const name of limited)
        if (isLetIn(path, who, name) && !isLetIn(read, mayRead, name))
          offenders.push(`${name}: ${method} ${path}, not GET ${read}`);
    }
  t.strictSame(offenders, []);
});

// Who is let in.

const right = { 'devicemaker-client-id': 'tests' };
const changes = ['POST', 'PATCH', 'DELETE'];

function pathOf([method, path, who]: Row, name: string): string {
  const mayBeNobody =
    who !== 'data.upload' &&
    changes.includes(method) &&
    alive.includes(name) &&
    !name.startsWith('the user token');
  const values: Readonly<Record<string, string>> = {
    user_id: mayBeNobody ? randomUUID() : user,
    provider: 'devicemaker',
    date: '2026-01-01',
    device_id: resourceId(user, 'x'),
    observation_id: resourceId(user, 'x'),
    file: 'Patient.1-of-1.ndjson',
    export_id: resourceId(user, shortId(randomUUID())),
    app_id: `app_${'0'.repeat(32)}`,
    ...(who === 'project.settings' ? { project_id: 'default' } : {}),
  };
  const asked = method === 'GET' ? `${path}?${queriesOf(path)[0]}` : path;
  return `/api/v1${asked.replace(/:([a-z_]+)/g, (_, part: string) => values[part] ?? randomUUID())}`;
}

function ask(method: string, path: string, name: string) {
  const credential = credentials[name] ?? {};
  const headers = credential.headers ?? right;
  // Any body is a file that is imported; without one nothing is.
  const hasBody = ['POST', 'PATCH', 'PUT'].includes(method) && !path.endsWith('/imports');
  return api.ask(path, { ...credential, method, headers, ...(hasBody ? { body: {} } : {}) });
}

// A failure of FHIR is an OperationOutcome.
const hasDetail = (body: unknown) =>
  /\w/.test(String(Reflect.get(Object(body), 'detail') ?? Reflect.get(Object(body), 'issue') ?? ''));

async function wrongCredentials(row: Row): Promise<string[]> {
  const [method, path, who] = row;
  const answers = names.map(async (name) => [name, await ask(method, pathOf(row, name), name)] as const);
  return (await Promise.all(answers)).flatMap(([name, { status, headers, body }]) => {
    const wanted = expectedOf(row, name);
    const scheme = headers.get('www-authenticate');
    return [
      ...(status === wanted ? [] : [`${name}: ${status}, not ${wanted}`]),
      ...(status !== 401 || who === 'client' || scheme === 'Bearer' ? [] : [`${name}: ${scheme}`]),
      ...(status < 400 || path.includes('/callback') || hasDetail(body) ? [] : [`${name}: no detail`]),
    ];
  });
}

/** The console answers each role as the API does. */
async function wrongSessions(row: Row): Promise<string[]> {
  const [method] = row;
  const answers = Object.entries(sessions).map(async ([name, session]) => {
    const path = pathOf(row, name).replace(apiPrefix, consolePrefix);
    const hasBody = ['POST', 'PATCH', 'PUT'].includes(method) && !path.endsWith('/imports');
    const { status } = await api.ask(path, { ...session, method, ...(hasBody ? { body: {} } : {}) });
    const wanted = expectedOf(row, name);
    return status === wanted ? [] : [`console, ${name}: ${status}, not ${wanted}`];
  });
  return (await Promise.all(answers)).flat();
}

/** A method that a path does not have is refused before the credential is read: one of each kind is tried. */
const kinds = ['none', 'a nonsense token', 'an API key', 'a developer token'];

/** Paths whose other methods belong to a path with a parameter. */
const shared = new Set(['/auth/passkeys/confirm', '/invitations/accept', '/deliveries/reprocess']);

async function otherMethods(row: Row): Promise<string[]> {
  const [, path] = row;
  const ofPath = rows.filter((one) => one[1] === path);
  if (ofPath[0] !== row || shared.has(path)) return [];
  const get = ofPath.find(([method]) => method === 'GET');
  const methods = ofPath.map(([method]) => method);
  const allow = [...methods, ...(get ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ');
  const wrong = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'].filter((method) => !methods.includes(method));
  const asked = kinds.map(async (name): Promise<string[]> => {
    const url = pathOf(get ?? ['GET', path, 'anybody', 0], name);
    const head = await ask('HEAD', url, name);
    const wanted = get ? expectedOf(get, name) : 405;
    const offenders =
      head.status === wanted && head.text === '' ? [] : [`HEAD, ${name}: ${head.status}, not ${wanted}`];
    for (const method of ['OPTIONS', ...wrong]) {
      const { status, headers } = await ask(method, url, name);
      if (status !== (method === 'OPTIONS' ? 204 : 405) || headers.get('allow') !== allow)
        offenders.push(`${method}, ${name}: ${status}, ${headers.get('allow')}`);
    }
    return offenders;
  });
  return (await Promise.all(asked)).flat();
}

// Ids of another project are like ids that nobody has.

async function stateOfOther() {
  const paths = ['/users', '/api-keys', '/applications', '/webhook-endpoints'];
  const all = [...paths, `/users/${theirs.userId}/connections`];
  const states = await Promise.all(all.map((path) => as(api, { token: theirs.adminToken }, 200, path)));
  // The endpoint has no receiver, so that its health changes by itself.
  return JSON.parse(
    JSON.stringify(states, (name, value) =>
      /_since|_at$|_seconds$|^messages_waiting$/.test(name) ? null : value,
    ),
  );
}

const theirIds: Readonly<Record<string, string>> = {
  user_id: theirs.userId,
  event_id: theirs.workoutId,
  key_id: theirs.keyId,
  app_id: theirs.appId,
  endpoint_id: theirs.endpointId,
};
const noIds: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(theirIds).map((name) => [name, randomUUID()])),
  app_id: `app_${'0'.repeat(32)}`,
};
const sameIds: Readonly<Record<string, string>> = {
  provider: 'devicemaker',
  date: '2026-01-01',
  import_id: randomUUID(),
  message_id: randomUUID(),
};
const strangers: Readonly<Record<string, Ask>> = {
  key: { key: ours.key },
  admin: { token: ours.adminToken },
  owner: { token: api.developerToken },
  'owner in default': { token: api.developerToken, headers: { 'X-Project': 'default' } },
  support: { token: await memberToken(api, 'support') },
};

async function foreignIds({ action, route }: Endpoint): Promise<string[]> {
  const path = takesQuery(route) ? `${route.path}?${queriesOf(route.path)[0]}` : route.path;
  if (!/:(user|key|app|endpoint)_id/.test(path)) return [];
  const body = takesQuery(route) ? undefined : (bodyOf(operationOf(action)) ?? {});
  const answerOf = async (ids: Readonly<Record<string, string>>, stranger: Ask) => {
    const filled = path.replace(/:([a-z_]+)/g, (_, name: string) => ids[name] ?? sameIds[name] ?? '');
    const { status, text } = await api.ask(`/api/v1${filled}`, { ...stranger, method: route.method, body });
    const shown = Object.entries(ids).reduce((all, [name, id]) => all.replaceAll(id, `:${name}`), text);
    return `${status} ${shown}`;
  };
  const asked = Object.entries(strangers).map(async ([who, stranger]) => {
    const [foreign, unknown] = [await answerOf(theirIds, stranger), await answerOf(noIds, stranger)];
    const isShown = /^2/.test(foreign) && !foreign.includes('"total":0,'); // A search finds nothing.
    return foreign !== unknown || isShown ? [`${who}: ${foreign.slice(0, 200)}`] : [];
  });
  return (await Promise.all(asked)).flat();
}

// Names and values of parameters.

const Failure = z.object({
  detail: z.string(),
  errors: z.array(z.object({ field: z.string(), message: z.string() })),
});

/** Asks with a query or a body; ids in the path are of nobody, or of the user who is read. */
function askWith({ route }: Endpoint, query: string, body?: unknown): Promise<Answer> {
  const path = route.path
    .replace(':user_id', route.method === 'GET' ? user : randomUUID())
    .replace(':provider', 'devicemaker')
    .replace(':project_id', 'default')
    .replace(/:[a-z_]+/g, randomUUID());
  const credential = credentialsOf(route).includes('developer') ? { token: api.developerToken } : {};
  return api.ask(`/api/v1${path}${query}`, { ...credential, method: route.method, body });
}

/** What an answer is listed with unless it is 422 and names the field in a sentence. */
function unnamed(said: string, { status, body, text }: Answer, field: string, sentence = ''): string[] {
  const { data } = Failure.safeParse(body);
  const isNamed = data?.errors.some((error) => error.field === field || error.field.startsWith(`${field}.`));
  const isSaid = data?.detail.includes(sentence) === true && /^\S.*\.$/.test(data.detail);
  return status === 422 && isNamed && isSaid ? [] : [`${said}: ${status} ${text.slice(0, 300)}`];
}

// Routes of FHIR answer 400: fhir-access.test.ts has them. A file and the body of a provider have no fields.
const takesFields = ({ route }: Endpoint) =>
  route.fhir !== true && route.delivery === undefined && route.file === undefined;

async function wrongNames(endpoint: Endpoint): Promise<string[]> {
  if (!takesFields(endpoint)) return [];
  const fields = fieldsOf(endpoint).map(([name]) => name);
  const wrong = fields.flatMap((name) =>
    misspellings(name)
      .filter((text) => !fields.includes(text))
      .map((text) => [name, text] as const),
  );
  return takesQuery(endpoint.route) ? wrongInQuery(endpoint, wrong) : wrongInBody(endpoint, fields, wrong);
}

type Misspelt = readonly (readonly [name: string, text: string])[];

async function wrongInQuery(endpoint: Endpoint, wrong: Misspelt): Promise<string[]> {
  const offenders = wrong.map(async ([name, text]) => {
    const answer = await askWith(endpoint, `?${encodeURIComponent(text)}=x`);
    const sentence = `${text} is unknown; the nearest known parameter is ${name}.`;
    if (endpoint.route.browser === undefined) return unnamed(text, answer, text, sentence);
    return answer.text.includes('is unknown') ? [`${text} of a browser: ${answer.text.slice(0, 300)}`] : [];
  });
  const plain = await askWith(endpoint, '');
  // An id in the query does not replace the one in the path.
  const ids = pathParameters(endpoint.route.path).map((name) => `&${name}=${user}`);
  const more = await askWith(endpoint, `?_=1&utm_source_of_all=x&v=2${ids.join('')}`);
  const isIgnored = more.status === plain.status;
  return [...(await Promise.all(offenders)).flat(), ...(isIgnored ? [] : [`other names: ${more.text}`])];
}

async function wrongInBody(
  endpoint: Endpoint,
  fields: readonly string[],
  wrong: Misspelt,
): Promise<string[]> {
  const { action, route } = endpoint;
  const odd = await askWith(endpoint, '', { quite_another_thing: 1 });
  const told = fields.length === 0 ? 'this request takes no fields' : 'k'; // "known fields are" or "the nearest known"
  const offenders = unnamed('another field', odd, 'quite_another_thing', told);
  for (const name of fields)
    if (!odd.text.includes(name)) offenders.push(`${name} is not named: ${odd.text}`);
  for (const [name, text] of wrong) {
    const sentence = `${text} is unknown; the nearest known field is ${name}.`;
    offenders.push(...unnamed(text, await askWith(endpoint, '', { [text]: 'x' }), text, sentence));
  }
  for (const name of pathParameters(route.path))
    offenders.push(...unnamed(name, await askWith(endpoint, '', { [name]: user }), name, 'part of the path'));
  const inQuery = await askWith(endpoint, '?first_name=x', {});
  if (inQuery.status >= 500) offenders.push(`a query: ${inQuery.status}`);
  const empty = await askWith(endpoint, '');
  const isOptional = withoutBody.has(action);
  if ((empty.status === 422) === isOptional) offenders.push(`no body: ${empty.status} ${empty.text}`);
  return offenders;
}

/** Requests that SPEC.md defines without a body, or with defaults for all of it. */
const withoutBody = new Set([
  'auth.createKey',
  'auth.beginTotp',
  'auth.confirmDeveloper',
  'auth.rotateKey',
  'auth.rotateSecret',
  'auth.issueToken',
  'backfill.start',
  'phone-ingest.createCode',
  'deliveries.replay',
  'deliveries.retryJob',
  'webhooks.rotateSecret',
  'webhooks.testEndpoint',
  'webhooks.resendMessage',
  'destinations.pause',
  'destinations.resume',
  'destinations.reset',
]);

async function wrongValues(endpoint: Endpoint): Promise<string[]> {
  if (!takesFields(endpoint) || endpoint.route.browser === true) return [];
  const isQuery = takesQuery(endpoint.route);
  const { parameters } = operationOf(endpoint.action);
  const required = parameters.filter((one) => one.in === 'query' && one.required);
  const bare = required.map(async ({ name }) => unnamed('without', await askWith(endpoint, ''), name));
  const missing = (await Promise.all(bare)).flat();
  const offenders = wrongValuesOf(endpoint).map(async (values) => {
    const query = new URLSearchParams(documented(operationOf(endpoint.action), 'query'));
    for (const [name, value] of Object.entries(values)) query.set(name, String(value));
    const answer = await (isQuery ? askWith(endpoint, `?${query}`) : askWith(endpoint, '', values));
    const named =
      (values.start_time ?? values.start_date) ? Object.keys(values).slice(0, 1) : Object.keys(values);
    return named.flatMap((name) =>
      unnamed(`${name}=${JSON.stringify(values[name])?.slice(0, 40)}`, answer, name),
    );
  });
  return [...missing, ...(await Promise.all(offenders)).flat()];
}

const keys = async () => (await api.database.query('select from auth.api_key')).length;
const stateOfBoth = async () => [
  await api.expect(200, `/users/${user}`),
  await api.expect(200, `/users/${user}/connections`),
  await stateOfOther(),
];
const keysBefore = await keys();
const stateBefore = await stateOfBoth();

for (const row of rows)
  t.test(`${nameOf(row)}: who is let in, and what is refused`, async (t) => {
    const endpoint = endpointFor(row);
    const offenders = [await wrongCredentials(row), await otherMethods(row)];
    if (endpoint !== undefined && isOfConsole(endpoint.route)) offenders.push(await wrongSessions(row));
    if (endpoint !== undefined)
      offenders.push(await foreignIds(endpoint), await wrongNames(endpoint), await wrongValues(endpoint));
    t.strictSame(offenders.flat(), []);
  });

t.test('refused requests changed nothing', async (t) => {
  t.strictSame(await stateOfBoth(), stateBefore);
  const makers = [...names, ...Object.keys(sessions)].filter(
    (name) => alive.includes(name) && isLetIn('/api-keys', 'credentials', name),
  );
  // The developer also made one without a body, and one with a name in the query.
  t.equal((await keys()) - keysBefore, makers.length + 2);
});

// What is answered.

/** The user whose data the documented requests read, with one event of each kind. */
const startMs = Date.UTC(2026, 0, 1, 8);
const [record, session, movement] = await api.call('timeseries.store', {
  user_id: user,
  provider: 'devicemaker',
  items: [
    activity(workout(startMs, 60)),
    night([sleep(startMs + 12 * 3_600_000, 300)]),
    item({ data_type: 'moveiq', other: other(startMs + 7_200_000) }),
    item({ samples: [block('heart_rate', [[startMs, 60]])] }),
  ],
});
const records = {
  workouts: record?.record_ids[0] ?? '',
  sleep: session?.record_ids[0] ?? '',
  other: movement?.record_ids[0] ?? '',
};
/** An owner who sends the documented requests only. */
const owner = { email: 'owner@example.com', password: 'a long password of the tests' };
await insertDeveloper(api.database, owner);
const login = await api.ask('/api/v1/auth/login', { body: owner });
const { access_token: token } = z.object({ access_token: z.string() }).parse(login.body);
const requestOf = requestsOf(api, { userId: user, records }, token);

/** Answered otherwise than with the first success of the documentation. */
const statuses: Readonly<Record<string, number>> = {
  ...refusals,
};

/** Values that no entry of the trail may contain. */
const personal = new Set<string>(['@example.com']);

/** Compares each answer with the document. */
const document = new URL('../../openapi.json', import.meta.url);
const conformance = conformanceTo(JSON.parse(readFileSync(document, 'utf8')));

/** Changes that consist of several, each of which has its entry. */
const further: Readonly<Record<string, readonly string[]>> = {
  'auth.acceptInvitation': ['developer.created', 'member.added'],
  'auth.createEmbed': ['token.issued'],
  'file-import.create': ['connection.created'],
  'phone-ingest.redeemCode': ['user.updated'], // Its example has a time zone.
};

const isAudited = ({ audit }: Endpoint['route']) => typeof audit === 'string' && audit !== 'user.read';
const changesSomething = ({ route }: Endpoint) =>
  route.method !== 'GET' || route.stream !== undefined || isAudited(route);

async function missingOfEntry(endpoint: Endpoint, requestId: string): Promise<string[]> {
  const { action, route } = endpoint;
  if (!changesSomething(endpoint) || typeof route.audit !== 'string') return [];
  const all = await api.database.query<{
    action: string;
    actor: string;
    user_id: string | null;
    subject_id: string | null;
  }>('select action, actor, user_id, subject_id from auth.audit_entry where request_id = $1', [requestId]);
  const parts = further[action] ?? [];
  const [entry, ...more] = all.filter((one) => !parts.includes(one.action));
  // The id of a project is a text, which stands in `subject_name`.
  const hasId = !/changeRetention|(Project|ConnectLogo)$/.test(action);
  const isOfUser = /user|connection|backfill|import|token|embed/.test(route.audit);
  return [
    ...(all.length === 1 + parts.length && more.length === 0 ? [] : [all.map((one) => one.action).join()]),
    ...(entry?.action === route.audit ? [] : [`${entry?.action}`]),
    ...(/^(admin|api_key|user|consent):/.test(entry?.actor ?? '') ? [] : [`by ${entry?.actor}`]),
    ...((entry?.subject_id !== null) === hasId ? [] : [`of ${entry?.subject_id}`]),
    ...((entry?.user_id !== null) === isOfUser ? [] : [`of the user ${entry?.user_id}`]),
  ];
}

for (const { operationId, responses } of operations)
  t.test(`${operationId}: what its example is answered`, async (t) => {
    const action = operationId.replace('AtSecretAddress', '');
    const endpoint = endpointOf(action);
    const plain = await requestOf(endpoint);
    const request = action === operationId ? plain : atSecretAddress(plain);
    for (const name of ['first_name', 'last_name', 'email', 'external_user_id', 'provider_user_id'])
      if (typeof request.params[name] === 'string') personal.add(request.params[name]);
    const requestId = `request-of-${operationId}`;
    const before = conformance.differences.length;
    const send = endpoint.route.fhir === true ? sendPlainly : sendByClient;
    const answer = await send(operationId, request, requestId);
    const success = Object.keys(responses).find((status) => status.startsWith('2'));
    t.equal(answer.status, statuses[action] ?? Number(success));
    t.strictSame(conformance.differences.slice(before), [], 'the form of the answer');
    if (answer.status < 400)
      t.strictSame(await missingOfEntry(endpoint, requestId), [], 'the entry in the audit trail');
    if (endpoint.route.method !== 'GET' || endpoint.route.browser === true) return;
    // Nothing is answered 304, which would say unlogged that data is unchanged.
    const since = { 'If-None-Match': '*', 'If-Modified-Since': new Date().toUTCString() };
    const { path, params: _, ...given } = request;
    const headers = { ...given.headers, ...since };
    const head = await api.ask(`/api/v1${path}`, { ...given, method: 'HEAD', headers });
    t.strictSame(
      [head.status, head.headers.get('content-type'), head.text],
      [answer.status, answer.headers.get('content-type'), ''],
      'HEAD',
    );
  });

/** Sends a request of FHIR, for which the client has no methods. fhir.test.ts has a client and a validator of FHIR. */
function sendPlainly(_: string, { path, ...given }: Request, requestId: string): Promise<Answer> {
  const headers = { ...given.headers, 'X-Request-Id': requestId };
  return api.ask(`/api/v1${path}`, { ...given, headers });
}

function atSecretAddress({ path, params, ...given }: Request): Request {
  const secret = webhookSecret;
  return { ...given, path: path.replace('?', `/${secret}?`), params: { ...params, secret } };
}

/** Sends a request by the method of the client, and reads all of the answer. */
async function sendByClient(
  operationId: string,
  { token, params }: Request,
  requestId: string,
): Promise<Pick<Answer, 'status' | 'headers'>> {
  const answers: Response[] = [];
  const send: typeof fetch = async (input, init = {}) => {
    const sent = new Headers(init.headers);
    sent.set('X-Request-Id', requestId);
    const answer = await conformance.fetch(input, { ...init, headers: sent });
    answers.push(answer);
    return answer;
  };
  const credential = token === undefined ? {} : { token };
  const client = new Pulsebus({ baseUrl: api.url, fetch: send, ...credential });
  const [group = '', method = ''] = operationId.split('.').map(camelCase);
  const methods = Object(Reflect.get(client, group));
  await readAll(Reflect.apply(Reflect.get(methods, method), methods, [params]));
  const [answer] = answers;
  if (answer === undefined) throw new Error(`${operationId} sent nothing`);
  return answer;
}

const camelCase = (text: string) => text.replace(/[-_]([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Waits for an answer, or for all lines of a stream. The client throws what is no success. */
async function readAll(answer: unknown): Promise<void> {
  try {
    if (typeof Reflect.get(Object(answer), 'then') === 'function') await answer;
    else for await (const _ of Object(answer));
  } catch (error) {
    if (!(error instanceof PulsebusError)) throw error;
  }
}

t.test('every operation of the document was called', async (t) => {
  // The client has no methods for FHIR.
  const ofClient = [...conformance.operations].filter((name) => !name.startsWith('fhir.'));
  t.strictSame([...conformance.called].toSorted(), ofClient.toSorted());
});

t.test('reads of health data count under their kinds, HEAD too: its headers tell of data', async (t) => {
  const reads = endpoints.filter(({ route }) => route.method === 'GET' && route.reads !== undefined);
  const kinds = [...Map.groupBy(reads, ({ route }) => route.reads ?? '')];
  // At least: the client repeats a GET whose connection was lost. Exact numbers are in flow/accesses.test.ts.
  const missing = async () => {
    const rows = await api.database.query<{ kind: string; n: number }>(
      `select kind, sum(count)::int as n from auth.access where user_id = $1
         and actor = 'admin:' || (select id from auth.developer where email = $2) group by kind`,
      [user, owner.email],
    );
    const counted = new Map(rows.map(({ kind, n }) => [kind, n]));
    return kinds.filter(([kind, routes]) => (counted.get(kind) ?? 0) < 2 * routes.length);
  };
  await until(async () => (await missing()).length === 0);
  t.strictSame(await missing(), []);
});

t.test('every route that changes something states its audit entry, or why it has none', async (t) => {
  const silent = endpoints.filter((one) => changesSomething(one) && one.route.audit === undefined);
  t.strictSame(silent, []);
  const exempt = endpoints.filter(({ route }) => typeof route.audit === 'object');
  t.strictSame(exempt.map(({ action }) => action).sort(), [
    'activitynet-ingest.receive',
    'auth.beginPasskey',
    'auth.beginTotp',
    'auth.forgotPassword',
    'auth.refresh',
    'devicemaker-ingest.ping',
    'devicemaker-ingest.push',
    'fhir.cancelExport',
    'fhir.exportAll',
    'fhir.exportPatient',
    'fhir.exportStatus',
    'phone-ingest.logs',
    'phone-ingest.refreshToken',
    'phone-ingest.sync',
    ...receivers.toSorted(),
    'timeseries.previewRetention',
  ]);
});

t.test('no entry contains names, addresses or accounts of requests', async (t) => {
  const entries = JSON.stringify(await api.database.query('select * from auth.audit_entry'));
  t.ok(personal.size > 5);
  t.strictSame(
    [...personal].filter((value) => entries.includes(`"${value}`) || entries.includes(`${value}"`)),
    [],
  );
});

t.test('every required parameter except ids and secrets has an example', async (t) => {
  const without = operations.flatMap(({ parameters }) =>
    parameters.filter(({ required, example }) => required && example === undefined).map(({ name }) => name),
  );
  const others = new Set(without.filter((name) => !name.endsWith('_id')));
  t.strictSame(others, new Set(['secret', ...Object.values(challenges).flat()]));
});

// Whom the console serves.

t.test('the console refuses what the API refuses', async (t) => {
  const support = await memberToken(api, 'support');
  t.equal((await api.ask(`/api/v1/users/${user}/days/2026-01-01`, { token: support })).status, 403);
  const ofData = endpoints.filter(({ route }) => route.access === 'data.read');
  t.ok(ofData.length > 15);
  const statusOf = async ({ route }: Endpoint) =>
    (await api.ask(`${consolePrefix}${route.path.replace(':user_id', user)}`, { token: support })).status;
  const answered = await Promise.all(ofData.map(statusOf));
  t.strictSame(new Set(answered), new Set([401]), 'a token is no session');
});
