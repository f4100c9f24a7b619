import { randomUUID } from 'node:crypto';
import t from 'tap';
import { z } from 'zod';
import { jobIdOf } from '../../contracts/deliveries/jobs.ts';
import { openapiDocument } from '../../services/api-gateway/rules/openapi.ts';
import { sendFile } from '../services/file-import/importing.ts';
import { developer, startApi } from '../support/api.ts';
import { newPasskey } from '../support/passkey.ts';
import { codeOf } from '../support/totp.ts';

/*
 * Sends every request of the documentation unchanged: required parameters and bodies by their examples, ids
 * of existing objects. Secrets of the caller (a password, a token) are inserted.
 */
const api = await startApi(t, {
  RATE_LIMIT_API_KEY: '100000',
  DEVICEMAKER_CLIENT_ID: 'sandbox-devicemaker',
  DEVICEMAKER_CLIENT_SECRET: 'secret',
  DEVICEMAKER_API_URL: 'http://127.0.0.1:9',
  DEVICEMAKER_TOKEN_URL: 'http://127.0.0.1:9/token',
  ACTIVITYNET_VERIFY_TOKEN: 'the-verify-token',
});
const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean(),
  example: z.unknown().optional(),
});
const Operation = z.object({
  operationId: z.string(),
  security: z.array(z.record(z.string(), z.unknown())),
  parameters: z.array(Parameter),
  requestBody: z
    .object({
      content: z.record(z.string(), z.object({ example: z.record(z.string(), z.unknown()).optional() })),
    })
    .optional(),
  responses: z.record(z.string(), z.unknown()),
  'x-try-out': z.literal(false).optional(),
});
type Operation = z.infer<typeof Operation>;
const Paths = z.record(z.string(), z.record(z.string(), Operation));
const operations = Object.entries(Paths.parse(openapiDocument().paths)).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

const Id = z.object({ id: z.string() });
const asDeveloper = { token: api.developerToken };
const made = async (path: string, body: unknown) =>
  z.looseObject({}).parse((await api.ask(`/api/v1${path}`, { ...asDeveloper, body })).body);
const newUser = async () => Id.parse(await made('/users', {})).id;

async function wearer(account: string = randomUUID()): Promise<string> {
  const user = await newUser();
  await made(`/users/${user}/connections`, {
    provider: 'devicemaker',
    provider_user_id: account,
    access_token: 'a token',
  });
  return user;
}

// The user whose data the webhook's example brings, with one event of each kind.
const reader = await wearer('account-1001');
const base = { userId: 'account-1001', startTimeOffsetInSeconds: 0, durationInSeconds: 600 };
const start = 1_767_230_000;
await api.ask('/api/v1/webhooks/devicemaker/push', {
  headers: { 'devicemaker-client-id': 'sandbox-devicemaker' },
  body: {
    activities: [
      { ...base, activityId: 1, summaryId: 'a', startTimeInSeconds: start, activityType: 'RUNNING' },
    ],
    sleeps: [{ ...base, summaryId: 's', startTimeInSeconds: start + 3600, deepSleepDurationInSeconds: 600 }],
    moveiq: [{ ...base, summaryId: 'm', startTimeInSeconds: start + 9000, activityType: 'Walking' }],
  },
});

async function eventOf(kind: string): Promise<string> {
  const list = await api.expect(
    200,
    `/users/${reader}/events/${kind}?start_date=2026-01-01&end_date=2026-01-02`,
  );
  return z.object({ data: z.tuple([Id]) }).parse(list).data[0].id;
}

async function runningBackfill(): Promise<string> {
  const user = await wearer();
  await made(`/users/${user}/connections/devicemaker/backfill`, { days: 1 });
  return user;
}

const passwordOfGrace = 'correct horse battery staple';
const grace = async () => {
  const email = `${randomUUID()}@example.com`;
  await made('/developers', { email, password: passwordOfGrace });
  return z
    .object({ access_token: z.string() })
    .parse(await made('/auth/login', { email, password: passwordOfGrace }));
};

async function accountWithoutRights(): Promise<string> {
  const email = `${randomUUID()}@example.com`;
  await made('/developers', { email, password: passwordOfGrace, is_owner: false });
  return email;
}

async function member(): Promise<string> {
  const given = { email: await accountWithoutRights(), role: 'support' };
  return z.object({ developer_id: z.string() }).parse(await made('/members', given)).developer_id;
}

async function project(): Promise<string> {
  const id = `example-${randomUUID().slice(0, 8)}`;
  return Id.parse(await made('/projects', { id, name: 'Example' })).id;
}

async function withCredentials(): Promise<string> {
  const id = await project();
  const body = { client_id: 'client-of-tests', client_secret: 'a secret of the tests' };
  const path = `/api/v1/projects/${id}/providers/withings`;
  await api.ask(path, { ...asDeveloper, method: 'PUT', body });
  return id;
}

/** The user of a request if it is not `reader`, by operation. */
const ids: Readonly<Record<string, () => Promise<string>>> = {
  'auth.removeMember developer_id': member,
  'auth.removeDeveloper developer_id': async () =>
    Id.parse(await made('/developers', { email: `${randomUUID()}@example.com`, password: passwordOfGrace }))
      .id,
  'auth.confirmDeveloper developer_id': async () =>
    Id.parse(await made('/developers', { email: `${randomUUID()}@example.com`, password: passwordOfGrace }))
      .id,
  'auth.putConnectLogo project_id': project,
  'auth.removeConnectLogo project_id': project,
  'users.credentials project_id': project,
  'users.setCredentials project_id': project,
  'users.setCredentials provider': async () => 'withings',
  'users.removeCredentials project_id': withCredentials,
  'users.removeCredentials provider': async () => 'withings',
  'users.remove user_id': newUser,
  'users.connect user_id': newUser,
  'users.disconnect user_id': () => wearer(),
  'backfill.start user_id': () => wearer(),
  'backfill.status user_id': runningBackfill,
  'backfill.cancel user_id': runningBackfill,
  'timeseries.workout event_id': () => eventOf('workouts'),
  'timeseries.sleep event_id': () => eventOf('sleep'),
  'timeseries.sleepStages event_id': () => eventOf('sleep'),
  'timeseries.other event_id': () => eventOf('other'),
  'fhir.devices patient': async () => reader,
  'fhir.observations patient': async () => reader,
  'fhir.observations subject': async () => `Patient/${reader}`,
  'webhooks.removeEndpoint endpoint_id': () => newEndpoint(),
  'destinations.remove destination_id': () => newDestination(),
  'deliveries.get delivery_id': () => doneDelivery(),
  'deliveries.body delivery_id': () => doneDelivery(),
  'deliveries.replay delivery_id': () => doneDelivery(),
  'deliveries.retryJob job_id': () => deadJob(),
};
async function doneDelivery(): Promise<string> {
  const [row] = await api.database.query<{ id: string }>(
    "select id from deliveries.delivery where state = 'done'",
  );
  return row?.id ?? '';
}
async function deadJob(): Promise<string> {
  await api.database.query("insert into jobs.job (kind, key, dead_at) values ('test.dead', '', now())");
  return jobIdOf('test.dead', '');
}
async function runOfNothing(): Promise<string> {
  const body = { provider: 'devicemaker', from: '2100-01-01' };
  const { body: run } = await api.ask('/api/v1/deliveries/reprocess', { token: api.developerToken, body });
  return Id.parse(run).id;
}
async function messageOf(endpoint: string): Promise<string> {
  const [row] = await api.database.query<{ id: string }>(
    `insert into webhooks.message (endpoint_id, change_id, type, state, recorded_at)
     values ($1, (select max(id) from changes.change), 'user.created', 'failed', now()) returning id`,
    [endpoint],
  );
  return row?.id ?? '';
}
const newEndpoint = async () =>
  Id.parse(await made('/webhook-endpoints', { url: 'https://app.example/hook' })).id;
const newDestination = async () =>
  Id.parse(
    await made('/destinations', {
      kind: 's3',
      settings: {
        ...{ endpoint: 'https://store.example', bucket: 'health-data' },
        ...{ access_key_id: 'KEY', secret_access_key: 'of-the-examples' },
      },
    }),
  ).id;
const sharedDestination = newDestination();
const sharedEndpoint = newEndpoint();

const idsOfAll: Readonly<Record<string, () => Promise<string>>> = {
  invitation_id: async () => Id.parse(await made('/invitations', newInvitation())).id,
  user_id: async () => reader,
  device_id: () => firstOf('Device'),
  observation_id: () => firstOf('Observation'),
  export_id: async () => {
    const { headers } = await api.ask('/api/v1/fhir/$export', asDeveloper);
    return headers.get('content-location')?.split('/').at(-1) ?? '';
  },
  import_id: async () => Id.parse((await sendFile(api, reader, table)).body).id,
  run_id: runOfNothing,
  endpoint_id: () => sharedEndpoint,
  destination_id: () => sharedDestination,
  message_id: async () => messageOf(await sharedEndpoint),
  key_id: async () => Id.parse(await made('/api-keys', {})).id,
  app_id: async () =>
    z.object({ app_id: z.string() }).parse(await made('/applications', { name: 'App' })).app_id,
};

async function firstOf(type: string): Promise<string> {
  const { body } = await api.ask(`/api/v1/fhir/${type}?patient=${reader}`, asDeveloper);
  const Entry = z.object({ resource: Id });
  return z.object({ entry: z.tuple([Entry], Entry) }).parse(body).entry[0].resource.id;
}

const table = 'type,timestamp,value\nheart_rate,2026-01-01T08:00:00Z,60\n';

const newInvitation = () => ({ email: `${randomUUID()}@example.com`, role: 'support' });

/** Requests of an account of their own: those of `developer` would keep it from the others. */
interface OfOwnAccount {
  readonly token: string;
  readonly body: object;
  readonly path?: Readonly<Record<string, string>>;
}
const ofOwnAccount: Readonly<Record<string, () => Promise<OfOwnAccount>>> = {
  'auth.changePassword': async () => ({ token: (await grace()).access_token, body: {} }),
  'auth.confirmTotp': async () => {
    const { access_token: token } = await grace();
    const begun = await api.ask('/api/v1/auth/totp', { token, method: 'POST' });
    const { secret } = z.object({ secret: z.string() }).parse(begun.body);
    return { token, body: { code: codeOf(secret) } };
  },
  'auth.removeTotp': async () => {
    const { access_token: token } = await grace();
    const begun = await api.ask('/api/v1/auth/totp', { token, method: 'POST' });
    const { secret } = z.object({ secret: z.string() }).parse(begun.body);
    await api.ask('/api/v1/auth/totp/confirm', { token, body: { code: codeOf(secret) } });
    return { token, body: { password: passwordOfGrace, code: undefined } };
  },
  'auth.beginPasskey': async () => ({ ...(await asGrace()), body: proofOfGrace }),
  'auth.confirmPasskey': async () => {
    const { token } = await asGrace();
    return { token, body: { credential: await passkeyOf(token) } };
  },
  'auth.removePasskey': async () => {
    const { token } = await asGrace();
    const body = { name: 'Laptop', credential: await passkeyOf(token) };
    const added = await api.ask('/api/v1/auth/passkeys/confirm', { token, body });
    return { token, body: proofOfGrace, path: { passkey_id: Id.parse(added.body).id } };
  },
};
const proofOfGrace = { password: passwordOfGrace, code: undefined };
const asGrace = async () => ({ token: (await grace()).access_token });
const passkeyOf = async (token: string) =>
  newPasskey((await api.ask('/api/v1/auth/passkeys', { token, body: proofOfGrace })).body, api.url);

/** Secrets of the caller. */
const secrets: Readonly<Record<string, () => Promise<Record<string, unknown>>>> = {
  'auth.acceptInvitation': async () => {
    const { link } = z.object({ link: z.string() }).parse(await made('/invitations', newInvitation()));
    return { token: new URL(link).hash.slice(1) };
  },
  'auth.addMember': async () => ({ email: await accountWithoutRights() }),
  'auth.login': async () => ({ password: developer.password }),
  'connect.createSession': async () => ({ user_id: reader }),
  'auth.createEmbed': async () => ({ user_id: reader }),
  'phone-ingest.redeemCode': async () => ({
    code: (await made(`/users/${reader}/invitation-code`, {})).code,
  }),
  'phone-ingest.refreshToken': async () => {
    const tokens = await made('/auth/login', developer);
    return { refresh_token: tokens.refresh_token };
  },
  'auth.refresh': async () => {
    const tokens = await made('/auth/login', developer);
    return { refresh_token: tokens.refresh_token };
  },
};

/** Answered otherwise than with success. */
const statuses: Readonly<Record<string, number>> = {
  // The example has no signature.
  'pull-ingest.receive_googlehealth': 401,
  'pull-ingest.receive_whoop': 401,
  'pull-ingest.receive_suunto': 401,
  'pull-ingest.receive_polar': 401,
  'pull-ingest.receive_oura': 401,
  'pull-ingest.probe_oura': 403,
  // The link of the example is in an e-mail.
  'auth.resetPassword': 404,
};

async function parameterFor({ operationId }: Operation, name: string, example: unknown): Promise<string> {
  const make = ids[`${operationId} ${name}`] ?? idsOfAll[name];
  return make === undefined ? String(example) : make();
}

async function send(path: string, method: string, operation: Operation) {
  let filled = path;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  const own = await ofOwnAccount[operation.operationId]?.();
  for (const { name, in: where, required, example } of operation.parameters) {
    if (!required && example === undefined) continue;
    const value = own?.path?.[name] ?? (await parameterFor(operation, name, example));
    if (where === 'path') filled = filled.replace(`{${name}}`, value);
    else if (where === 'query') query.set(name, value);
    else headers[name] = value;
  }
  const credential = own === undefined ? asDeveloper : { token: own.token };
  const example = operation.requestBody?.content['application/json']?.example;
  const isFile = operation.requestBody?.content['multipart/form-data'] !== undefined;
  if (isFile) return sendFile(api, await parameterFor(operation, 'user_id', undefined), table);
  const body =
    example === undefined
      ? {}
      : { body: { ...example, ...(await secrets[operation.operationId]?.()), ...own?.body } };
  const needsKey = operation.security.every((one) => Object.keys(one).length > 0);
  const asked = {
    method,
    headers,
    ...body,
    ...(needsKey || operation.operationId === 'auth.issueToken' ? credential : {}),
  };
  return api.ask(`/api/v1${filled}?${query}`, asked);
}

const tried = operations.filter(
  ({ path, operation }) => operation['x-try-out'] === undefined && !path.endsWith('{secret}'),
);

for (const { path, method, operation } of tried)
  t.test(`the example of ${method} ${path} works when sent`, async (t) => {
    const documented = Object.keys(operation.responses).find((status) => status.startsWith('2'));
    const { status, text } = await send(path, method, operation);
    t.equal(status, statuses[operation.operationId] ?? Number(documented), text.slice(0, 300));
  });

t.test('every required parameter except ids and secrets has an example', async (t) => {
  const without = operations.flatMap(({ operation }) =>
    operation.parameters.filter(({ required, example }) => required && example === undefined),
  );
  t.strictSame(
    new Set(without.map(({ name }) => name)),
    new Set([
      ...['verification_token', 'challenge'],
      ...['developer_id', 'key_id', 'user_id', 'event_id', 'app_id', 'secret', 'delivery_id'],
      ...[
        'endpoint_id',
        'destination_id',
        'message_id',
        'job_id',
        'run_id',
        'invitation_id',
        'passkey_id',
        'import_id',
      ],
      ...['device_id', 'observation_id', 'export_id'],
    ]),
  );
  t.ok(tried.length > 50, `${tried.length} requests were sent`);
});
