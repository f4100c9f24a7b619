import t from 'tap';
import { z } from 'zod';
import { providers } from '../../../providers/all.ts';
import { person, setUp } from '../../services/pull-ingest/withings-setting.ts';
import type { Answer, Ask } from '../../support/api.ts';
import { memberToken } from '../../support/members.ts';
import { until } from '../../support/until.ts';
import { as, makeProject, send } from './two-projects.ts';

const hourMs = 3_600_000;
const clientOf = (name: string) => ({
  ...{ client_id: `client-of-${name}`, client_secret: `secret of the client of ${name}` },
});
const [coach, lab, spare] = [clientOf('coach'), clientOf('lab'), clientOf('spare')];

const setting = await setUp(t, { sandbox: { otherClients: [coach, lab, spare] } });
const { api, sandbox } = setting;
const own = sandbox.access.settings.WITHINGS_CLIENT_ID ?? '';
const owner = { token: api.developerToken };

/** A project with an admin and a key. */
async function project(id: string) {
  await makeProject(api, id);
  const admin = { token: await memberToken(api, 'admin', id) };
  const made = await as(api, admin, 201, '/api-keys', { body: { name: id } });
  return { id, admin, key: z.object({ key: z.string() }).parse(made).key };
}
const [ofCoach, ofLab] = [await project('coach'), await project('lab')];
const pathOf = (id: string, provider = 'withings') => `/projects/${id}/providers/${provider}`;
const put = (id: string, ask: Ask, body: unknown = coach, provider = 'withings'): Promise<Answer> =>
  send(api, ask, pathOf(id, provider), { method: 'PUT', body });

const Counts = z.record(
  z.string(),
  z.object({ granted: z.int(), refused: z.int(), crossed: z.int(), requests: z.int() }),
);
/** What came of a client at the provider. */
async function countsOf(client: string) {
  const all = Counts.parse(await setting.control('GET', '/ledger/withings-clients'));
  return all[client] ?? { granted: 0, refused: 0, crossed: 0, requests: 0 };
}
const tokenRequests = async (client: string) => {
  const { granted, refused, crossed } = await countsOf(client);
  return [granted, refused, crossed];
};

const Created = z.object({ id: z.string() });
const Link = z.object({ authorization_url: z.string() });

/** A link for a user of a project, a new one by default. */
async function linkOf(key: string, user?: string) {
  const id = user ?? Created.parse(await as(api, { key }, 201, '/users', { body: {} })).id;
  const link = await as(api, { key }, 200, `/connect/withings/authorize?user_id=${id}`);
  return { id, url: new URL(Link.parse(link).authorization_url) };
}

/** Agrees at the provider. Returns the address of the callback. */
async function agree(url: URL): Promise<string> {
  const fields = new URLSearchParams(url.search);
  fields.set('person', String(person));
  fields.set('decision', 'allow');
  for (const scope of (url.searchParams.get('scope') ?? '').split(',')) fields.append('permission', scope);
  const { origin, pathname } = url;
  const decided = await fetch(`${origin}${pathname}`, { method: 'POST', body: fields, redirect: 'manual' });
  return decided.headers.get('location') ?? '';
}

async function connect(key: string, user?: string): Promise<string> {
  const { id, url } = await linkOf(key, user);
  const landed = await fetch(await agree(url), { redirect: 'manual' });
  t.match(landed.headers.get('location'), 'status=connected');
  return id;
}

const statusOf = (key: string, id: string) => as(api, { key }, 200, `/users/${id}/connections/withings`);

/** Ends the access tokens of the provider and reads. */
async function readAfterExpiry(): Promise<void> {
  await sandbox.advance(4 * hourMs);
  await setting.sweep();
}

t.test('an admin of the project sets its credentials, and no answer has the secret', async (t) => {
  for (const role of ['developer', 'support', 'analyst'] as const) {
    const token = await memberToken(api, role, 'coach');
    const paths: readonly (readonly [string, Ask])[] = [
      ['/projects/coach/providers', {}],
      [pathOf('coach'), { method: 'PUT', body: coach }],
      [pathOf('coach'), { method: 'DELETE' }],
    ];
    for (const [path, ask] of paths)
      t.equal((await send(api, { token }, path, ask)).status, 403, `${role} ${path}`);
  }
  t.equal((await put('coach', { key: ofCoach.key })).status, 403, 'an API key');
  for (const ask of [ofLab.admin, { ...ofLab.admin, headers: { 'X-Project': 'lab' } }])
    t.equal((await put('coach', ask)).status, 404, 'an admin of another project');
  for (const id of ['unknown', '%00']) t.equal((await put(id, owner)).status, 404);

  const answer = await put('coach', ofCoach.admin);
  t.match(answer.body, {
    provider: 'withings',
    source: 'project',
    client_id: coach.client_id,
    refusal: null,
  });
  t.equal((await put('lab', { ...owner, headers: { 'X-Project': 'default' } }, lab)).status, 200, 'an owner');
  const listed = await send(api, ofCoach.admin, '/projects/coach/providers');
  t.match(
    z
      .array(z.object({ provider: z.string() }))
      .parse(listed.body)
      .map(({ provider }) => provider),
    Object.keys(providers),
  );
  for (const { text } of [answer, listed]) t.notMatch(text, coach.client_secret);
  const audit = await send(api, ofCoach.admin, '/audit?action=provider.credentials_set');
  t.match(audit.body, { data: [{ details: { provider: 'withings', client_id: coach.client_id } }] });
  t.notMatch(audit.text, coach.client_secret);
  const rows = await api.database.query<{ client_secret: string }>('select * from users.provider_client');
  t.equal(rows.length, 2);
  t.ok(rows.every(({ client_secret }) => /^v1\.[0-9a-f]{8}\./.test(client_secret)));
  t.match(await as(api, owner, 200, '/projects/default/providers'), [
    ...Object.keys(providers).map(() => ({ source: 'installation', updated_at: null })),
  ]);
});

t.test('providers that need more than a client refuse with a sentence', async (t) => {
  for (const [name, { projectClientRefusal }] of Object.entries(providers)) {
    if (projectClientRefusal === null) continue;
    t.match(await put('coach', ofCoach.admin, spare, name), {
      ...{ status: 422, body: { detail: projectClientRefusal } },
    });
    t.equal((await send(api, ofCoach.admin, pathOf('coach', name), { method: 'DELETE' })).status, 404, name);
  }
  const same = { ...coach, client_id: own };
  t.match(await put('coach', ofCoach.admin, same), {
    status: 422,
    body: { detail: /client of the installation/ },
  });
});

const users = { default: '', coach: '', lab: '' };

t.test('each project connects, reads and refreshes with its own client', async (t) => {
  users.default = await setting.connect();
  users.coach = await connect(ofCoach.key);
  users.lab = await connect(ofLab.key);
  t.equal((await linkOf(ofCoach.key)).url.searchParams.get('client_id'), coach.client_id);
  await setting.sweep();
  const clients = [own, coach.client_id, lab.client_id];
  for (const client of clients) {
    t.strictSame(await tokenRequests(client), [1, 0, 0], client);
    t.ok((await countsOf(client)).requests > 5, `reads of ${client}`);
  }
  const limits = await api.database.query<{ scope: string }>('select scope from pull.rate order by scope');
  t.strictSame(
    limits.map(({ scope }) => scope),
    clients.map((client) => `withings application ${client}`).sort(),
  );
  await readAfterExpiry();
  for (const client of clients) {
    // A notification may lead to a read in the middle of the four hours, too.
    const [granted = 0, ...lost] = await tokenRequests(client);
    t.ok(granted >= 2, client);
    t.strictSame(lost, [0, 0], client);
  }
});

t.test('a new secret concerns all connections of the client', async (t) => {
  await put('lab', ofLab.admin, { ...lab, client_secret: 'a wrong secret' });
  await sandbox.advance(4 * hourMs);
  await api.database.query('update pull.sweep set due_at = now()');
  await until(async () => (await countsOf(lab.client_id)).refused > 0);
  t.match(await statusOf(ofLab.key, users.lab), { status: 'active' }, 'a refused client ends nothing');
  await put('lab', ofLab.admin, lab);
  await api.database.query('update pull.reading set run_at = now() where run_at is not null');
  await setting.settled();
  t.match(await tokenRequests(lab.client_id), [3]);
  t.match(await statusOf(ofLab.key, users.lab), { status: 'active' });
});

t.test('a code is not sent after its client was replaced', async (t) => {
  const { id, url } = await linkOf(ofCoach.key);
  const callback = await agree(url);
  t.equal((await put('coach', ofCoach.admin, spare)).status, 200);
  const before = [await tokenRequests(coach.client_id), await tokenRequests(own)];
  const landed = await fetch(callback, { redirect: 'manual' });
  t.match(landed.headers.get('location'), 'reason=link_expired');
  t.strictSame([await tokenRequests(coach.client_id), await tokenRequests(own)], before);
  t.strictSame(await tokenRequests(spare.client_id), [0, 0, 0]);
  t.equal((await send(api, { key: ofCoach.key }, `/users/${id}/connections/withings`)).status, 404);
  t.equal((await put('coach', ofCoach.admin, coach)).status, 200);
});

t.test('tokens of a former client are sent to no other client', async (t) => {
  const reader = await connect(ofCoach.key);
  const before = await tokenRequests(coach.client_id);
  const ofOthers = async () => [await tokenRequests(own), await tokenRequests(spare.client_id)];
  const [[granted = 0] = []] = await ofOthers();
  t.equal((await put('coach', ofCoach.admin, spare)).status, 200);
  await readAfterExpiry();
  t.strictSame(await tokenRequests(coach.client_id), before);
  const [[refreshed = 0, ...lost] = [], ofSpare] = await ofOthers();
  t.ok(refreshed > granted, 'the installation refreshes its own token');
  t.strictSame(
    [lost, ofSpare],
    [
      [0, 0],
      [0, 0, 0],
    ],
  );
  for (const id of [users.coach, reader])
    t.match(await statusOf(ofCoach.key, id), {
      ...{ status: 'expired', last_error: /credentials at the provider .* connect again/ },
    });
  t.match(await statusOf(ofLab.key, users.lab), { status: 'active' });
  users.coach = await connect(ofCoach.key);
  t.strictSame(
    await tokenRequests(spare.client_id),
    [1, 0, 0],
    'who connects again agrees to the new client',
  );
});

t.test('removed credentials: the project uses those of the installation', async (t) => {
  t.match(await as(api, ofCoach.admin, 200, pathOf('coach'), { method: 'DELETE' }), {
    ...{ source: 'installation', client_id: own },
  });
  t.equal((await send(api, ofCoach.admin, pathOf('coach'), { method: 'DELETE' })).status, 404);
  await readAfterExpiry();
  t.strictSame(await tokenRequests(spare.client_id), [1, 0, 0]);
  t.match(await statusOf(ofCoach.key, users.coach), { status: 'expired' });
  t.equal((await linkOf(ofCoach.key)).url.searchParams.get('client_id'), own);
  const [row] = await api.database.query<{ n: number }>(
    "select count(client_secret)::int as n from users.provider_client where project_id = 'coach'",
  );
  t.equal(row?.n, 0, 'no secret is kept');
});

/** The clients that subscribed to the account, each once. */
const subscribers = () => {
  const holders = sandbox.providers.find(({ name }) => name === 'withings')?.tokenHolders() ?? [];
  const Holders = z.array(z.object({ subscriptions: z.array(z.object({ client_id: z.string() })) }));
  const found = Holders.parse(holders).flatMap(({ subscriptions }) => subscriptions);
  return [...new Set(found.map(({ client_id }) => client_id))].sort();
};

/** Every subscription of the user's current connection is made. */
const isSubscribed = async (userId: string) => {
  const rows = await api.database.query(
    "select from pull.connection where user_id = $1 and provider = 'withings' and subscribed_at is not null",
    [userId],
  );
  return rows.length === 1;
};

t.test('a user who agrees to another client leaves the former one', async (t) => {
  await put('lab', ofLab.admin, spare);
  await connect(ofLab.key, users.lab);
  await until(() => subscribers().includes(spare.client_id) && !subscribers().includes(lab.client_id));
  await until(() => isSubscribed(users.lab));
  await put('lab', ofLab.admin, lab);
  await connect(ofLab.key, users.lab);
  await until(() => subscribers().includes(lab.client_id) && !subscribers().includes(spare.client_id));
  t.match(await statusOf(ofLab.key, users.lab), { status: 'active' });
});

t.test('imported tokens belong to the client of the project', async (t) => {
  const { id } = Created.parse(await as(api, { key: ofLab.key }, 201, '/users', { body: {} }));
  const body = {
    ...{ provider: 'withings', provider_user_id: '77', access_token: 'a', refresh_token: 'unknown' },
    ...{ expires_at: '2026-01-01T00:00:00Z', scope: ['user.metrics', 'user.activity', 'user.info'] },
  };
  const [[, before = 0], others] = [await tokenRequests(lab.client_id), await tokenRequests(own)];
  await as(api, { key: ofLab.key }, 201, `/users/${id}/connections`, { body });
  await until(async () => ((await tokenRequests(lab.client_id))[1] ?? 0) > before);
  t.strictSame(await tokenRequests(own), others);
});

t.test('a connection that ends revokes the access of its own client only', async (t) => {
  const before = subscribers();
  t.ok(before.includes(lab.client_id) && before.includes(own));
  await as(api, { key: ofLab.key }, 200, `/users/${users.lab}/connections/withings`, { method: 'DELETE' });
  await until(() => !subscribers().includes(lab.client_id));
  t.strictSame(
    subscribers(),
    before.filter((client) => client !== lab.client_id),
  );
  t.strictSame((await countsOf(own)).crossed, 0);
});

t.test('a deleted project keeps no secret', async (t) => {
  await as(api, { key: ofLab.key }, 200, `/users/${users.lab}`, { method: 'DELETE' });
  const { items } = z
    .object({ items: z.array(Created) })
    .parse(await as(api, { key: ofLab.key }, 200, '/users'));
  for (const { id } of items) await as(api, { key: ofLab.key }, 200, `/users/${id}`, { method: 'DELETE' });
  await as(api, owner, 200, '/projects/lab', { method: 'DELETE' });
  t.strictSame(
    await api.database.query('select from users.provider_client where client_secret is not null'),
    [],
  );
  t.equal((await put('lab', owner, lab)).status, 404);
});
