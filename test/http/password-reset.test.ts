import type { Test } from 'tap';
import t from 'tap';
import { z } from 'zod';
import { roles } from '../../domain/access.ts';
import { cipherOf } from '../../mixins/provider-api/cipher.ts';
import { forgotPassword } from '../../services/auth/work/forgot-password.ts';
import { mailerOf } from '../../services/auth/work/mail.ts';
import { type Answer, developer, startApi, type TestApi } from '../support/api.ts';
import { insertDeveloper } from '../support/developer.ts';
import { insertMember, password as memberPassword, memberToken } from '../support/members.ts';
import { testConfig } from '../support/servers/broker.ts';
import { startMailServer, type TestMailServer } from '../support/smtp.ts';
import { codeOf } from '../support/totp.ts';
import { until } from '../support/until.ts';

const server = await startMailServer(t);
const mailing = { SMTP_URL: `smtp://127.0.0.1:${server.port}`, MAIL_FROM: 'bus@example.com' };
const api = await startApi(t, mailing);
const password = 'purple lamps over quiet water';

const forget = (email: string, on: TestApi = api) =>
  on.ask('/api/v1/auth/forgot-password', { body: { email } });
const reset = (token: string, given = password) =>
  api.ask('/api/v1/auth/reset-password', { body: { token, password: given } });
const logIn = (email: string, given: string) =>
  api.ask('/api/v1/auth/login', { body: { email, password: given } });
const tokenOf = async (email: string, given = password) =>
  z.object({ access_token: z.string() }).parse((await logIn(email, given)).body).access_token;
const accountOf = async (name: string) => {
  const email = `${name}@example.com`;
  await insertDeveloper(api.database, { email, password });
  return email;
};
const shown = ({ status, body }: Answer) => ({ status, body });
const refusal = {
  status: 404,
  body: { detail: 'This link was used before, or has expired. Request a new one.' },
};

async function linkFor(email: string, from: TestMailServer = server): Promise<string> {
  const mails = () => from.received.filter(({ to }) => to.includes(email));
  const before = mails().length;
  t.equal((await forget(email)).status, 202);
  await until(() => mails().length > before, 'a message');
  return /\/console\/reset#([\w-]{43})\r?\n/.exec(mails().at(-1)?.text ?? '')?.[1] ?? '';
}

t.test('a link by e-mail sets a password once, and ends every session', async (t) => {
  const email = await accountOf('ada');
  const Tokens = z.object({ access_token: z.string() });
  const { access_token: token } = Tokens.parse((await logIn(email, password)).body);
  const first = await linkFor(email);
  const second = await linkFor(email);
  t.match(first, /^[\w-]{43}$/);
  const stored = await api.database.query('select to_jsonb(l)::text as row from auth.reset_link l');
  t.notMatch(JSON.stringify(stored), first);
  t.equal((await reset(first, 'short')).status, 422);
  t.equal((await reset(first, `${email}1`)).status, 422, 'the link still serves');
  const next = 'another lamp over quiet water';
  t.strictSame(shown(await reset(first, next)), { status: 200, body: {} });
  t.equal((await api.ask('/api/v1/auth/me', { token })).status, 401);
  t.equal((await logIn(email, password)).status, 401);
  t.equal((await logIn(email, next)).status, 200);
  for (const used of [first, second, 'unknown']) t.match(shown(await reset(used)), refusal);
});

t.test('of two uses of a link at once one wins, and an expired one is refused', async (t) => {
  const email = await accountOf('grace');
  const link = await linkFor(email);
  const answers = await Promise.all([
    reset(link, 'first lamps over quiet water'),
    reset(link, 'other lamps over quiet water'),
  ]);
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 404]);
  const late = await linkFor(email);
  await api.database.query('update auth.reset_link set expires_at = now()');
  t.match(shown(await reset(late)), refusal);
});

t.test('a changed password ends the links before it', async (t) => {
  const email = await accountOf('carol');
  const link = await linkFor(email);
  const other = await linkFor(email);
  t.equal((await reset(other)).status, 200);
  t.match(shown(await reset(link)), refusal);
});

t.test(
  'where mail is sent, only the message has the link of an invitation, and it confirms the address',
  async (t) => {
    for (const role of roles) {
      const email = `invited-${role}@example.com`;
      const token = await memberToken(api, 'admin');
      const made = await api.ask('/api/v1/invitations', { token, body: { email, role } });
      t.match(made, { status: 201, body: { email, link: null } });
      const list = await api.ask('/api/v1/invitations', { token });
      await until(() => server.received.some(({ to }) => to.includes(email)), 'a message');
      const [mail] = server.received.filter(({ to }) => to.includes(email));
      const secret = /\/console\/invitation#([\w-]{43})/.exec(mail?.text ?? '')?.[1] ?? '';
      t.equal(secret.length, 43);
      t.notMatch(`${made.text} ${list.text}`, secret);
      const body = { token: secret, password };
      t.equal((await api.ask('/api/v1/invitations/accept', { body })).status, 200);
      const { body: me } = await api.ask('/api/v1/auth/me', { token: await tokenOf(email) });
      t.match(me, { is_confirmed: true }, role);
    }
  },
);

t.test('a link by e-mail gives an account whose address was not confirmed to its holder', async (t) => {
  const email = 'squatted@example.com';
  await insertMember(api, email, [['default', 'admin']]);
  await api.database.query('update auth.developer set confirmed_at = null where email = $1', [email]);
  const former = await tokenOf(email, memberPassword);
  const begun = await api.ask('/api/v1/auth/totp', { token: former, method: 'POST' });
  const { secret } = z.object({ secret: z.string() }).parse(begun.body);
  const confirm = { token: former, body: { code: codeOf(secret) } };
  t.equal((await api.ask('/api/v1/auth/totp/confirm', confirm)).status, 200);
  const link = await linkFor(email);
  const answers = await Promise.all([
    reset(link),
    api.ask('/api/v1/auth/totp', { token: former, method: 'DELETE', body: { password: memberPassword } }),
    api.ask('/api/v1/auth/totp', { token: former, method: 'POST' }),
  ]);
  t.equal(answers[0]?.status, 200);
  t.equal((await api.ask('/api/v1/auth/me', { token: former })).status, 401);
  t.equal(
    (await api.ask('/api/v1/auth/totp/confirm', confirm)).status,
    401,
    'an ended session adds no factor',
  );
  const { body } = await api.ask('/api/v1/auth/me', { token: await tokenOf(email) });
  t.match(body, { email, is_confirmed: true });
});

t.test('the answer and the work are the same for an address without an account', async (t) => {
  const known = await accountOf('known');
  const jobs = async () =>
    api.database.query('select kind, count(*)::int as n from jobs.job where kind ~ $1 group by 1', [
      '^auth.(forgot|send)',
    ]);
  await until(async () => (await jobs()).length === 0, 'no jobs');
  const answers = [await forget(known), await forget('nobody@example.com')];
  t.strictSame(answers.map(shown), [
    { status: 202, body: {} },
    { status: 202, body: {} },
  ]);
  const statements = async (email: string) => {
    const texts: string[] = [];
    const database: TestApi['database'] = {
      ...api.database,
      query: (statement, values) => {
        texts.push(typeof statement === 'string' ? statement : statement.text);
        return api.database.query(statement, values);
      },
    };
    const config = testConfig({ databaseUrl: database.url });
    const given = { database, config, meta: { address: '192.0.2.1' }, jobs: { notify: () => undefined } };
    await forgotPassword({ ...given, cipher: cipherOf(config), mailer: mailerOf(mailing) }, email);
    return texts;
  };
  const done = await statements(known);
  t.strictSame(await statements('nobody@example.com'), done, 'so that the times are the same');
  t.equal(done.length, 3);
  await until(async () => (await jobs()).length === 0, 'no jobs');
  t.equal(server.received.filter(({ to }) => to.includes('nobody@example.com')).length, 0);
});

t.test('an account gets five messages an hour at most, and the answer stays', async (t) => {
  const email = await accountOf('flooded');
  for (let n = 0; n < 5; n += 1) await linkFor(email);
  t.strictSame(shown(await forget(email.toUpperCase())), { status: 202, body: {} });
  await linkFor(await accountOf('other'));
  t.equal(server.received.filter(({ to }) => to.includes(email)).length, 5);
});

t.test('an address may ask thirty times an hour', async (t) => {
  const other = await startApi(t, { RATE_LIMIT_FAILURES: '100000' });
  const statuses: number[] = [];
  for (let n = 0; n < 31; n += 1) statuses.push((await forget(`${n}@example.com`, other)).status);
  t.strictSame(statuses, [...Array.from({ length: 30 }, () => 202), 429]);
  const answer = await forget(developer.email, other);
  t.match(answer.body, { detail: /30 requests an hour for a new password/ });
  t.ok(Number(answer.headers.get('retry-after')) > 0);
});

t.test('without SMTP_URL the answer is the same, and nothing is enqueued', async (t) => {
  const silent = await startApi(t);
  t.strictSame(shown(await forget(developer.email, silent)), { status: 202, body: {} });
  t.strictSame(await jobsOf(silent), []);
});

const jobsOf = (on: TestApi) =>
  on.database.query("select 1 from jobs.job where kind in ('auth.send_mail', 'auth.forgot_password')");

t.test('a message waits for a server that is down, and no log has its link', async (t: Test) => {
  const down = await startMailServer(t);
  await down.stop();
  const settings = { ...mailing, SMTP_URL: `smtp://user:a-secret-of-mail@127.0.0.1:${down.port}` };
  const waiting = await startApi(t, settings);
  const body = { email: 'invited@example.com', role: 'support' };
  const made = await waiting.ask('/api/v1/invitations', { token: waiting.developerToken, body });
  t.match(made, { status: 201, body: { link: null } });
  const failures = async () => {
    const statement = "select failures, error, payload::text from jobs.job where kind = 'auth.send_mail'";
    const [row] = await waiting.database.query<{ failures: number; error: string; payload: string }>(
      statement,
    );
    return row;
  };
  await until(async () => ((await failures())?.failures ?? 0) > 0, 'a failed attempt');
  t.match(await failures(), { error: /^SMTP_[A-Z]+$/ });
  t.notMatch(JSON.stringify(await failures()), /invited|console/);
  const up = await startMailServer(t, {
    port: down.port,
    authMethods: ['PLAIN'],
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(null, { user: 'user' }),
  });
  await until(() => up.received.length > 0, 'the message');
  t.match(up.received, [{ to: ['invited@example.com'] }]);
  t.match(up.received[0]?.text, /\/console\/invitation#[\w-]{43}/);
  await until(async () => (await failures()) === undefined, 'the job is done');
});
