import t from 'tap';
import { z } from 'zod';
import { roles } from '../../domain/access.ts';
import { developer, startApi } from '../support/api.ts';
import { memberToken } from '../support/members.ts';

const api = await startApi(t, { RATE_LIMIT_ACCOUNT_FAILURES: '100000' });
const owner = { token: api.developerToken };
const password = 'purple lamps over quiet water';

const Made = z.object({ id: z.string(), link: z.string(), expires_at: z.string() });
const Tokens = z.object({ access_token: z.string() });
const Entries = z.object({ data: z.array(z.object({ action: z.string(), details: z.unknown() })) });

const inProject = (project: string, token = api.developerToken) => ({
  token,
  headers: { 'X-Project': project },
});
const post = (path: string, body: unknown, as = {}) => api.ask(`/api/v1${path}`, { ...as, body });
const invite = async (email: string, role = 'support', project = 'default', token = api.developerToken) => {
  const { status, body } = await post('/invitations', { email, role }, inProject(project, token));
  t.equal(status, 201);
  return Made.parse(body);
};
const tokenOf = ({ link }: { link: string }) => link.split('#')[1] ?? '';
const accept = (link: { link: string }, given = password) =>
  post('/invitations/accept', { token: tokenOf(link), password: given });
const logIn = async (email: string, given = password) =>
  Tokens.parse((await post('/auth/login', { email, password: given })).body).access_token;
const state = async () => [
  await api.database.query('select email, password, is_owner from auth.developer order by email'),
  await api.database.query('select project_id, developer_id, role from auth.member order by 1, 2'),
];
const refusalOf = ({ status, body }: { status: number; body: unknown }) => ({
  status,
  detail: Reflect.get(Object(body), 'detail'),
});

await post('/projects', { id: 'other', name: 'Other' }, owner);

t.test('an accepted invitation makes an account with the role, and its link is shown once', async (t) => {
  const made = await invite('Grace@example.com');
  t.match(made.link, new RegExp(`^${api.url}/console/invitation#[\\w-]{43}$`));
  const days = (Date.parse(made.expires_at) - Date.now()) / 86_400_000;
  t.ok(days > 6.9 && days <= 7);
  const list = await api.ask('/api/v1/invitations', owner);
  t.match(list.body, [{ id: made.id, email: 'Grace@example.com', role: 'support' }]);
  t.notMatch(list.text, tokenOf(made));
  const stored = await api.database.query('select to_jsonb(i)::text as row from auth.invitation i');
  t.notMatch(JSON.stringify(stored), tokenOf(made));

  const joined = await accept(made);
  t.equal(joined.status, 200);
  t.strictSame(joined.body, { project_id: 'default', email: 'Grace@example.com', role: 'support' });
  const token = await logIn('grace@example.com');
  t.match((await api.ask('/api/v1/auth/me', { token })).body, { is_owner: false });
  t.equal((await api.ask('/api/v1/users', { token })).status, 200);
  t.equal((await api.ask('/api/v1/invitations', { token })).status, 403);
  t.strictSame((await api.ask('/api/v1/invitations', owner)).body, []);
});

t.test('used, revoked, expired and unknown links get one sentence, and change nothing', async (t) => {
  const used = await invite('used@example.com');
  t.equal((await accept(used)).status, 200);
  const revoked = await invite('revoked@example.com');
  const answer = await api.ask(`/api/v1/invitations/${revoked.id}`, { ...owner, method: 'DELETE' });
  t.match(answer.body, { id: revoked.id });
  t.notMatch(answer.text, 'link');
  const replaced = await invite('again@example.com');
  const newest = await invite('AGAIN@example.com');
  const expired = await invite('expired@example.com');
  await api.database.query("update auth.invitation set expires_at = now() where email like 'expired%'");
  const before = await state();
  const links = { used, revoked, replaced, expired, unknown: { link: '#unknown' } };
  const refusals = Object.values(links).map(async (link) => refusalOf(await accept(link)));
  const detail = 'This invitation was used before, was revoked, or has expired. Ask for a new one.';
  t.strictSame(
    await Promise.all(refusals),
    Object.keys(links).map(() => ({ status: 404, detail })),
  );
  t.strictSame(await state(), before);
  t.equal((await accept(newest)).status, 200);
  const again = await api.ask(`/api/v1/invitations/${revoked.id}`, { ...owner, method: 'DELETE' });
  t.equal(again.status, 404);
});

t.test('of two acceptances at once one wins', async (t) => {
  const made = await invite('twice@example.com');
  const answers = await Promise.all([
    accept(made, 'first lamps over quiet water'),
    accept(made, 'other lamps over quiet water'),
  ]);
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 404]);
  const winner = answers[0]?.status === 200 ? 'first' : 'other';
  t.ok(await logIn('twice@example.com', `${winner} lamps over quiet water`));
  const rows = await api.database.query(
    "select from auth.member join auth.developer on id = developer_id where email like 'twice%'",
  );
  t.equal(rows.length, 1);
});

t.test('an address with an account needs its password, which stays', async (t) => {
  t.equal((await accept(await invite('holder@example.com'))).status, 200);
  const made = await invite('holder@example.com', 'analyst', 'other');
  const before = await state();
  t.equal((await accept(made, 'another password of nobody')).status, 401);
  t.strictSame(await state(), before);
  t.match((await accept(made)).body, { project_id: 'other', role: 'analyst' });
  const token = await logIn('holder@example.com');
  t.match((await api.ask('/api/v1/projects', { token })).body, [
    { id: 'default', role: 'support' },
    { id: 'other', role: 'analyst' },
  ]);
});

t.test('an invitation changes no owner', async (t) => {
  const made = await invite(developer.email, 'analyst');
  const before = await state();
  t.equal((await accept(made, developer.password)).status, 409);
  t.strictSame(await state(), before);
});

t.test('a weak password is refused, and the link still serves', async (t) => {
  const made = await invite('weak@example.com');
  for (const bad of ['short', 'weak@example.com', 'password12345'])
    t.equal((await accept(made, bad)).status, 422, bad);
  t.equal((await accept(made)).status, 200);
});

t.test('an admin invites to the own project only, as long as an admin', async (t) => {
  t.equal((await accept(await invite('admin@example.com', 'admin', 'other'))).status, 200);
  const admin = await logIn('admin@example.com');
  const foreign = await invite('victim@example.com', 'support', 'default');
  const own = await invite('victim@example.com', 'developer', 'other', admin);
  const list = await api.ask('/api/v1/invitations', { token: admin });
  t.match(list.body, [{ id: own.id, role: 'developer' }]);
  t.equal(Array.isArray(list.body) && list.body.length, 1);
  const revoke = (id: string, as: object) =>
    api.ask(`/api/v1/invitations/${id}`, { ...as, method: 'DELETE' });
  t.equal((await revoke(foreign.id, { token: admin })).status, 404);
  t.equal((await revoke(foreign.id, inProject('default', admin))).status, 404);
  t.equal((await revoke(own.id, inProject('default'))).status, 404, 'an id of another project');
  const [member] = z
    .array(z.object({ developer_id: z.string() }))
    .parse((await api.ask('/api/v1/members', { token: admin })).body);
  const kept = { email: 'admin@example.com', role: 'admin' };
  t.equal((await post('/members', kept, inProject('other'))).status, 200, 'the same role ends nothing');
  t.equal((await accept(own)).status, 200);
  const last = await invite('late@example.com', 'admin', 'other', admin);
  const demoted = { email: 'admin@example.com', role: 'support' };
  t.equal((await post('/members', demoted, inProject('other'))).status, 200);
  t.equal((await accept(last)).status, 404);
  t.ok(member);
});

t.test('entries of the audit have the role and no address', async (t) => {
  const { text, body } = await api.ask('/api/v1/audit?limit=100', owner);
  const actions = Entries.parse(body).data.filter(({ action }) => action.startsWith('invitation.'));
  t.strictSame([...new Set(actions.map(({ action }) => action))].sort(), [
    'invitation.accepted',
    'invitation.created',
    'invitation.revoked',
  ]);
  t.match(actions.find(({ action }) => action === 'invitation.accepted')?.details, { role: /\w/ });
  t.notMatch(text, '@example.com');
});

const stranger = 'lamps of somebody else at night';
const joined = (email: string) =>
  api.database.query(
    `select project_id, role from auth.member join auth.developer on id = developer_id
     where lower(email) = lower($1) order by 1`,
    [email],
  );
const isConfirmed = async (email: string) => {
  const sql = 'select confirmed_at is not null as yes from auth.developer where email = $1';
  const [row] = await api.database.query<{ yes: boolean }>(sql, [email]);
  return row?.yes;
};

t.test('an admin who accepts an invitation of his own takes no address, in any role', async (t) => {
  await post('/projects', { id: 'third', name: 'Third' }, owner);
  const admin = await memberToken(api, 'admin', 'other');
  const adminOfThird = await memberToken(api, 'admin', 'third');
  for (const role of roles) {
    const email = `taken-${role}@example.com`;
    t.equal((await accept(await invite(email, role, 'other', admin), stranger)).status, 200);
    t.equal(await isConfirmed(email), false);
    const token = await logIn(email, stranger);
    t.match((await api.ask('/api/v1/auth/me', { token })).body, { is_confirmed: false });

    const added = { email, role: 'analyst' };
    for (const as of [inProject('default'), inProject('third', adminOfThird)]) {
      const refused = await post('/members', added, as);
      t.equal(refused.headers.get('x-error-code'), 'ADDRESS_NOT_CONFIRMED', role);
    }
    const byOther = await invite(email, 'support', 'third', adminOfThird);
    t.equal((await accept(byOther, stranger)).headers.get('x-error-code'), 'ADDRESS_NOT_CONFIRMED');
    t.match(await joined(email), [{ project_id: 'other', role }], 'only the project of the admin');
    t.equal((await api.ask('/api/v1/users', inProject('third', token))).status, 404);

    t.equal((await post('/members', { email, role: 'support' }, { token: admin })).status, 200);
    t.match(await joined(email), [{ project_id: 'other', role: 'support' }], 'a role in the same project');
  }
  const list = z
    .array(z.object({ email: z.string(), is_confirmed: z.boolean() }))
    .parse((await api.ask('/api/v1/members', { token: admin })).body);
  t.strictSame(
    list.filter(({ email }) => email.startsWith('taken-')).map((one) => one.is_confirmed),
    roles.map(() => false),
  );
});

t.test('an owner confirms an address, nobody else does, and the account joins then', async (t) => {
  const admin = await memberToken(api, 'admin', 'other');
  const email = 'vouched@example.com';
  t.equal((await accept(await invite(email, 'support', 'other', admin))).status, 200);
  const [{ id = '' } = {}] = await api.database.query<{ id: string }>(
    'select id from auth.developer where email = $1',
    [email],
  );
  const confirm = (as: object) => api.ask(`/api/v1/developers/${id}/confirm`, { ...as, method: 'POST' });
  for (const role of roles)
    for (const project of ['default', 'other'])
      t.equal((await confirm({ token: await memberToken(api, role, project) })).status, 403, role);
  for (const as of [{ key: api.apiKey }, {}, { token: await logIn(email) }])
    t.ok([401, 403].includes((await confirm(as)).status));
  t.equal(await isConfirmed(email), false);
  t.match((await confirm(owner)).body, { id, is_confirmed: true });
  t.match((await confirm(owner)).body, { is_confirmed: true });
  t.equal((await post('/members', { email, role: 'analyst' }, inProject('default'))).status, 200);
  t.equal(
    (await accept(await invite(email, 'support', 'third', await memberToken(api, 'admin', 'third')))).status,
    200,
  );
});

t.test(
  'a link of an owner gives an unconfirmed account to its holder, and ends what was there',
  async (t) => {
    const admin = await memberToken(api, 'admin', 'other');
    const email = 'reclaimed@example.com';
    t.equal((await accept(await invite(email, 'admin', 'other', admin), stranger)).status, 200);
    const token = await logIn(email, stranger);
    const [{ id = '' } = {}] = await api.database.query<{ id: string }>(
      'select id from auth.developer where email = $1',
      [email],
    );
    await api.database.query(
      `insert into auth.totp (developer_id, secret, confirmed_at) values ($1, 'secret of a stranger', now())`,
      [id],
    );
    await api.database.query(
      `insert into auth.passkey (developer_id, credential_id, public_key, counter, transports, name)
     values ($1, 'of a stranger', 'x', 0, '{}', 'x')`,
      [id],
    );
    const made = await invite(email, 'support', 'default');
    // Whoever has the link accepts it once; another account's session changes nothing about that.
    const body = { token: tokenOf(made), password };
    const foreign = { token: await memberToken(api, 'admin', 'third') };
    const answers = await Promise.all([
      post('/invitations/accept', body, foreign),
      post('/invitations/accept', body),
    ]);
    t.equal(answers.filter(({ status }) => status === 200).length, 1);
    t.match(answers.find(({ status }) => status === 200)?.body, { project_id: 'default', email });
    t.equal(await isConfirmed(email), true);
    t.equal((await api.ask('/api/v1/auth/me', { token })).status, 401);
    t.equal((await post('/auth/login', { email, password: stranger })).status, 401);
    t.match((await api.ask('/api/v1/auth/me', { token: await logIn(email) })).body, {
      id,
      is_confirmed: true,
    });
    t.strictSame(await api.database.query('select from auth.passkey where developer_id = $1', [id]), []);
  },
);

t.test('of two invitations of an address at once, the one that does not confirm takes nothing', async (t) => {
  const admin = await memberToken(api, 'admin', 'other');
  for (let n = 0; n < 4; n += 1) {
    const email = `both-${n}@example.com`;
    const own = await invite(email, 'admin', 'other', admin);
    const right = await invite(email, 'analyst', 'default');
    const [, first] = await Promise.all([accept(own, stranger), accept(right)]);
    if (first?.status !== 200) t.equal((await accept(right)).status, 200, 'the link still serves');
    t.equal((await post('/auth/login', { email, password: stranger })).status, 401, email);
    t.equal(await isConfirmed(email), true);
  }
});
