import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { jobIdOf } from '../../../contracts/deliveries/jobs.ts';
import { type Endpoint, pathParameters } from '../../../services/api-gateway/rules/endpoints.ts';
import { openapiDocument } from '../../../services/api-gateway/rules/openapi.ts';
import { sha256 } from '../../../services/auth/rules/secrets.ts';
import { insertResetLink } from '../../../services/auth/tables/developers.ts';
import { consentTo } from '../../services/connect/provider.ts';
import { type Ask, developer, type TestApi, userToken } from '../../support/api.ts';
import { linkFor } from '../../support/connect.ts';
import { insertDeveloper } from '../../support/developer.ts';
import { insertMember } from '../../support/members.ts';
import { newPasskey } from '../../support/passkey.ts';
import { codeOf } from '../../support/totp.ts';
import { challenges } from './pulled.ts';

/*
 * A request that succeeds for each route: the example of the documentation, sent unchanged, with ids of objects that are
 * made for it. What no example can have is inserted: passwords, tokens, ids in bodies.
 */

const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean(),
  example: z.unknown().optional(),
});
const Example = z.record(z.string(), z.unknown());
const Operation = z.object({
  operationId: z.string(),
  security: z.array(Example),
  parameters: z.array(Parameter),
  requestBody: z
    .object({ content: z.record(z.string(), z.object({ example: Example.optional() })) })
    .optional(),
  responses: Example,
});
type Operation = z.infer<typeof Operation>;
const Paths = z.record(z.string(), z.record(z.string(), Operation));

/** The operations of the documentation, also those at secret addresses. */
export const operations = Object.values(Paths.parse(openapiDocument().paths)).flatMap((methods) =>
  Object.values(methods),
);

/** The operation of an action. @throws Error if the documentation has none */
export function operationOf(action: string): Operation {
  const operation = operations.find(({ operationId }) => operationId === action);
  if (operation === undefined) throw new Error(`the documentation has no ${action}`);
  return operation;
}

/** The body of an operation's example; undefined if it takes none. */
export const bodyOf = ({ requestBody }: Operation) => requestBody?.content['application/json']?.example;

/** The examples of an operation's parameters in a place. */
export const documented = ({ parameters }: Operation, place: string) =>
  parameters
    .filter((one) => one.in === place && one.example !== undefined)
    .map(({ name, example }): [string, string] => [name, String(example)]);

/** A request below /api/v1. */
export interface Request extends Ask {
  readonly path: string;
  /** The same as the client of the product takes it. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** What replaces or adds to the documented parts of a request. */
interface Changes {
  readonly ids?: Ids;
  readonly query?: Ids;
  readonly headers?: Ids;
  readonly token?: string;
  /** Fields of the body; a text is the whole body. */
  readonly body?: object | string;
}
type Ids = Readonly<Record<string, string>>;

/** The user whose data the requests read. */
interface Reader {
  readonly userId: string;
  /** An id of a record by the last word of the list's path. */
  readonly records: Ids;
}

const Id = z.object({ id: z.string() });
const Token = z.object({ access_token: z.string() });
const password = 'correct horse battery staple'; // That of the examples.
const withoutCode = { code: undefined };
const file = 'type,timestamp,value\nheart_rate,2026-01-01T08:00:00Z,60\n';
const destination = {
  kind: 's3',
  settings: {
    endpoint: 'https://store.example',
    bucket: 'health-data',
    access_key_id: 'KEY',
    secret_access_key: 'of-the-test',
  },
};

/** Makes the request of a route by an owner with a token. Its objects are new each time, and another owner makes them. */
export function requestsOf(
  api: TestApi,
  reader: Reader,
  token: string,
): (endpoint: Endpoint) => Promise<Request> {
  const asOwner = { token: api.developerToken };
  const made = async (path: string, body: unknown = {}, as: Ask = asOwner) =>
    z.looseObject({}).parse((await api.ask(`/api/v1${path}`, { ...as, body })).body);
  const newId = async (path: string, body?: unknown) => Id.parse(await made(path, body)).id;
  const inserted = async (statement: string, values: readonly unknown[] = []) => {
    const [row] = await api.database.query<{ id: string }>(`${statement} returning id`, [...values]);
    return row?.id ?? '';
  };
  const email = () => `${randomUUID()}@example.com`;
  const newUser = () => newId('/users');
  const newAccount = () => newId('/developers', { email: email(), password });
  const ownSession = async () => {
    const account = { email: email(), password };
    await insertDeveloper(api.database, account);
    return Token.parse(await made('/auth/login', account)).access_token;
  };
  const withoutProject = async () => {
    const address = email();
    await insertMember(api, address, []);
    return address;
  };
  const connected = async () => {
    const user = await newUser();
    const body = { provider: 'devicemaker', provider_user_id: randomUUID(), access_token: randomUUID() };
    await made(`/users/${user}/connections`, body);
    return user;
  };
  const inBackfill = async () => {
    const user = await connected();
    await made(`/users/${user}/connections/devicemaker/backfill`, { days: 1 });
    return user;
  };
  const newProject = () => newId('/projects', { id: `p-${randomUUID().slice(0, 8)}`, name: 'Example' });
  const putInProject = async (path: string, body: object) => {
    const id = await newProject();
    await api.ask(`/api/v1/projects/${id}${path}`, { ...asOwner, method: 'PUT', body });
    return id;
  };
  const firstOf = async (type: string) => {
    const Bundle = z.object({ entry: z.array(z.object({ resource: Id })) });
    const { body } = await api.ask(`/api/v1/fhir/${type}?patient=${reader.userId}`, asOwner);
    return Bundle.parse(body).entry[0]?.resource.id ?? '';
  };
  const totpOf = async (token: string) => {
    const { secret } = z.object({ secret: z.string() }).parse(await made('/auth/totp', {}, { token }));
    return codeOf(secret);
  };
  const passkeyOf = async (token: string) =>
    newPasskey(await made('/auth/passkeys', { password }, { token }), api.url);
  const messageOf = (endpoint: string) =>
    inserted(
      `insert into webhooks.message (endpoint_id, change_id, type, state, recorded_at)
       values ($1, (select max(id) from changes.change), 'user.created', 'failed', now())`,
      [endpoint],
    );
  const invitation = () => made('/invitations', { email: email(), role: 'support' });

  /** The id of a parameter, by its name or by action and name; `before` are those before it in the path. */
  const ids: Readonly<Record<string, (before: Ids) => Promise<string>>> = {
    user_id: async () => reader.userId,
    'users.remove user_id': newUser,
    'users.update user_id': newUser,
    'users.connect user_id': newUser,
    'users.disconnect user_id': connected,
    'backfill.start user_id': connected,
    'backfill.status user_id': inBackfill,
    'backfill.cancel user_id': inBackfill,
    developer_id: newAccount,
    'auth.removeMember developer_id': async () => {
      const member = await made('/members', { email: await withoutProject(), role: 'support' });
      return z.object({ developer_id: z.string() }).parse(member).developer_id;
    },
    project_id: newProject,
    'auth.removeConnectLogo project_id': () =>
      putInProject('/connect-logo', bodyOf(operationOf('auth.putConnectLogo')) ?? {}),
    'users.removeCredentials project_id': () =>
      putInProject('/providers/withings', { client_id: 'client', client_secret: 'a secret of the tests' }),
    provider: async () => 'devicemaker',
    'users.setCredentials provider': async () => 'withings',
    'users.removeCredentials provider': async () => 'withings',
    invitation_id: async () => Id.parse(await invitation()).id,
    key_id: () => newId('/api-keys'),
    app_id: async () =>
      z.object({ app_id: z.string() }).parse(await made('/applications', { name: 'App' })).app_id,
    endpoint_id: () => newId('/webhook-endpoints', { url: 'http://127.0.0.1:9/hook' }), // Nothing listens there.
    message_id: ({ endpoint_id = '' }) => messageOf(endpoint_id),
    destination_id: async () => {
      await api.database.query('delete from destinations.destination'); // A project has at most ten.
      return newId('/destinations', destination);
    },
    import_id: ({ user_id }) =>
      inserted('insert into imports.import (id, user_id) values (gen_random_uuid(), $1)', [user_id]),
    'file-import.original import_id': async ({ user_id }) => {
      const import_id = await inserted(
        'insert into imports.import (id, user_id, bytes) values (gen_random_uuid(), $1, 3)',
        [user_id],
      );
      await api.call('file-import.append', { user_id: user_id ?? '', import_id, part: 0, bytes: 'YWJj' });
      await api.database.query("update imports.import set state = 'waiting' where id = $1", [import_id]);
      return import_id;
    },
    delivery_id: async () => {
      const [row] = await api.database.query<{ id: string }>(
        "select id from deliveries.delivery where state = 'done'",
      );
      return row?.id ?? '';
    },
    job_id: async () => {
      const key = randomUUID();
      await api.database.query("insert into jobs.job (kind, key, dead_at) values ('test.dead', $1, now())", [
        key,
      ]);
      return jobIdOf('test.dead', key);
    },
    run_id: () =>
      inserted(
        `insert into deliveries.reprocess_run (provider, from_time, normaliser_version, deliveries_total)
         values ('devicemaker', now(), 1, 0)`,
      ),
    device_id: () => firstOf('Device'),
    observation_id: () => firstOf('Observation'),
    export_id: async () => {
      const { headers } = await api.ask(`/api/v1/fhir/Patient/${reader.userId}/$export`, asOwner);
      return headers.get('content-location')?.split('/').at(-1) ?? '';
    },
    file: async () => 'Patient.1-of-1.ndjson',
  };

  const changes: Readonly<Record<string, () => Promise<Changes>>> = {
    'auth.login': async () => ({ body: { ...developer, ...withoutCode } }),
    'auth.changePassword': async () => ({ token: await ownSession() }),
    'auth.createDeveloper': async () => ({ body: { email: email() } }),
    'auth.resetPassword': async () => {
      const token = randomUUID();
      const account = { email: email(), password };
      await insertDeveloper(api.database, account);
      await insertResetLink(api.database, { hash: sha256(token), email: account.email, seconds: 60 });
      return { body: { token } };
    },
    'auth.confirmTotp': async () => {
      const token = await ownSession();
      return { token, body: { code: await totpOf(token) } };
    },
    'auth.removeTotp': async () => {
      const token = await ownSession();
      await made('/auth/totp/confirm', { code: await totpOf(token) }, { token });
      return { token, body: withoutCode };
    },
    'auth.beginPasskey': async () => ({ token: await ownSession(), body: withoutCode }),
    'auth.confirmPasskey': async () => {
      const token = await ownSession();
      return { token, body: { credential: await passkeyOf(token) } };
    },
    'auth.removePasskey': async () => {
      const token = await ownSession();
      const body = { name: 'Laptop', credential: await passkeyOf(token) };
      const added = await made('/auth/passkeys/confirm', body, { token });
      return { token, body: withoutCode, ids: { passkey_id: Id.parse(added).id } };
    },
    'auth.addMember': async () => ({ body: { email: await withoutProject() } }),
    'auth.createInvitation': async () => ({ body: { email: email() } }),
    'auth.acceptInvitation': async () => {
      const { link } = z.object({ link: z.string() }).parse(await invitation());
      return { body: { token: new URL(link).hash.slice(1) } };
    },
    'auth.revoke': async () => ({ body: { token: await userToken(api, reader.userId) } }),
    'auth.refresh': async () => ({
      body: { refresh_token: (await made('/auth/login', developer)).refresh_token },
    }),
    'phone-ingest.refreshToken': async () => ({
      body: { refresh_token: (await made('/auth/login', developer)).refresh_token },
    }),
    'phone-ingest.redeemCode': async () => ({
      body: { code: (await made(`/users/${reader.userId}/invitation-code`)).code },
    }),
    'auth.createEmbed': async () => ({ body: { user_id: reader.userId } }),
    'connect.createSession': async () => ({ body: { user_id: reader.userId } }),
    'connect.authorize': async () => ({ query: { user_id: reader.userId } }),
    'connect.callback': async () => {
      const { authorization_url } = await linkFor(api, await newUser(), 'devicemaker', null);
      const { searchParams } = await consentTo(authorization_url);
      return { query: Object.fromEntries(searchParams) };
    },
    'webhooks.createEndpoint': async () => ({ body: { url: 'http://127.0.0.1:9/hook' } }),
    'webhooks.updateEndpoint': async () => ({ body: { url: 'http://127.0.0.1:9/other' } }),
    'destinations.create': async () => ({ body: destination }),
    'destinations.update': async () => ({ body: { settings: destination.settings } }),
    'file-import.create': async () => ({ ids: { user_id: await newUser() }, body: file }),
    'fhir.devices': async () => ({ query: { patient: reader.userId } }),
    'fhir.observations': async () => ({ query: { patient: reader.userId, subject: reader.userId } }),
    ...Object.fromEntries(
      Object.entries(challenges).map(([action, fields]) => [
        action,
        async () => ({ query: Object.fromEntries(fields.map((field) => [field, 'x'])) }),
      ]),
    ),
    'devicemaker-ingest.push': async () => ({ headers: { 'devicemaker-client-id': 'tests' } }),
    'devicemaker-ingest.ping': async () => ({ headers: { 'devicemaker-client-id': 'tests' } }),
  };

  return async ({ action, route }) => {
    const operation = operationOf(action);
    const changed = (await changes[action]?.()) ?? {};
    const given: Record<string, string> = { ...changed.ids };
    for (const name of pathParameters(route.path)) {
      const example = operation.parameters.find((one) => one.name === name)?.example;
      const listed = route.path.match(/\/(\w+)\/:event_id/)?.[1] ?? '';
      const make = ids[`${action} ${name}`] ?? ids[name];
      given[name] ??=
        name === 'event_id' ? (reader.records[listed] ?? '') : await (make?.(given) ?? String(example));
    }
    const query = { ...Object.fromEntries(documented(operation, 'query')), ...changed.query };
    const headers = { ...Object.fromEntries(documented(operation, 'header')), ...changed.headers };
    const example = bodyOf(operation);
    const body = typeof changed.body === 'string' ? changed.body : example && { ...example, ...changed.body };
    const isPublic =
      operation.security.some((one) => Object.keys(one).length === 0) && route.orPublic !== true;
    const path = route.path.replaceAll(/:([a-z_]+)/g, (_, name: string) => given[name] ?? '');
    const fields = typeof body === 'string' ? { file: new Blob([body]) } : body;
    return {
      path: `${path}?${new URLSearchParams(query)}`,
      params: { ...given, ...query, ...headers, ...fields },
      method: route.method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(isPublic ? {} : { token: changed.token ?? token }),
    };
  };
}
