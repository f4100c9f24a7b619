import t from 'tap';
import { ConfigError, loadConfig } from '../../../../config.ts';
import { cipherOf } from '../../../../mixins/provider-api/cipher.ts';
import { enqueueMail, mailerOf, mailHandler } from '../../../../services/auth/work/mail.ts';
import { freshDatabase } from '../../../support/servers/database.ts';
import { startMailServer, startSilentServer } from '../../../support/smtp.ts';

const mail = {
  to: 'grace@example.com',
  subject: 'A subject',
  text: 'A text with a link: https://a.example/#x\n',
};
// Only what must time out has bounds of its own: a busy machine takes a second for a step.
const bounds = { stepMs: 30_000, totalMs: 60_000 };
const of = (port: number, own = bounds) =>
  mailerOf({ SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Pulsebus <bus@example.com>' }, own);
const reason = (name: string, isFinal = false) => ({ name: 'MailError', reason: name, isFinal });

t.test('a message is delivered with the sender of MAIL_FROM', async (t) => {
  const server = await startMailServer(t);
  await of(server.port)?.send(mail);
  t.match(server.received, [{ from: 'bus@example.com', to: ['grace@example.com'] }]);
  t.match(server.received[0]?.text, 'https://a.example/#x');
  t.match(server.received[0]?.text, 'From: Pulsebus <bus@example.com>');
});

t.test('the user and the password of the URL are percent-encoded', async (t) => {
  const logins: unknown[] = [];
  const server = await startMailServer(t, {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) => {
      logins.push([username, password]);
      done(null, { user: username ?? '' });
    },
  });
  const SMTP_URL = `smtp://a%40b:p%2Fq@127.0.0.1:${server.port}`;
  await mailerOf({ SMTP_URL, MAIL_FROM: 'bus@example.com' }, bounds)?.send(mail);
  t.strictSame(logins, [['a@b', 'p/q']]);
});

t.test('a server that hangs is left after the time of a step', async (t) => {
  const { port } = await startSilentServer(t);
  const impatient = of(port, { stepMs: 300, totalMs: 60_000 });
  await t.rejects(impatient?.send(mail) ?? Promise.resolve(), reason('SMTP_TIMEDOUT'));
});

t.test('a server that takes forever for a message is left after the time of the whole', async (t) => {
  const server = await startMailServer(t, { onData: () => undefined });
  const slow = mailerOf(
    { SMTP_URL: `smtp://127.0.0.1:${server.port}`, MAIL_FROM: 'bus@example.com' },
    { stepMs: 60_000, totalMs: 300 },
  );
  await t.rejects(slow?.send(mail) ?? Promise.resolve(), reason('SMTP_TIMEOUT'));
});

t.test('a refused address is final, a server that is away is not', async (t) => {
  const server = await startMailServer(t, {
    onRcptTo: (_address, _session, done) =>
      done(Object.assign(new Error('no such box'), { responseCode: 550 })),
  });
  await t.rejects(of(server.port)?.send(mail) ?? Promise.resolve(), reason('SMTP_ENVELOPE', true));
  await server.stop();
  await t.rejects(of(server.port)?.send(mail) ?? Promise.resolve(), { name: 'MailError', isFinal: false });
});

t.test('a message leaves this machine under TLS only, unless the URL says otherwise', async (t) => {
  const server = await startMailServer(t);
  // 0.0.0.0 leads to this machine, and is no loopback address.
  const plain = (query: string) =>
    mailerOf({ SMTP_URL: `smtp://0.0.0.0:${server.port}${query}`, MAIL_FROM: 'bus@example.com' }, bounds);
  await t.rejects(plain('')?.send(mail) ?? Promise.resolve(), { name: 'MailError' });
  t.strictSame(server.received, []);
  await plain('?requireTLS=false')?.send(mail);
  t.equal(server.received.length, 1);
});

t.test('a job has its message encrypted, and ends after the link has expired', async (t) => {
  const database = await freshDatabase(t);
  const cipher = cipherOf({ ENCRYPTION_KEY: ['a secret of this test with 32 characters'] });
  const server = await startMailServer(t);
  const handler = mailHandler({ cipher, mailer: of(server.port) });
  const enqueued = async (expiresAt: Date) => {
    await database.query('truncate jobs.job');
    await enqueueMail(database, cipher, mail, expiresAt);
    const [row] = await database.query<{ kind: string; key: string; payload: unknown }>(
      'select kind, key, payload from jobs.job',
    );
    if (row === undefined) throw new Error('nothing is enqueued');
    t.notMatch(JSON.stringify(row), /grace|example/);
    const rest = {
      attempt: 1,
      failures: 0,
      version: 0,
      created_at: new Date(),
      cancelled: false,
      crashes: 0,
    };
    return { ...row, ...rest };
  };
  const held = { signal: new AbortController().signal, holds: async () => true };
  const late = await enqueued(new Date(Date.now() - 1));
  t.strictSame(await handler.work(late, held), { kind: 'dead', reason: 'MAIL_EXPIRED' });
  const due = await enqueued(new Date(Date.now() + 60_000));
  t.strictSame(await handler.work(due, held), { kind: 'done' });
  t.equal(server.received.length, 1);
  await server.stop();
  t.match(await handler.work(due, held), { kind: 'later', reason: /^SMTP_/ });
});

t.test('SMTP_URL needs MAIL_FROM, and no problem quotes its password', async (t) => {
  const SMTP_URL = 'smtp://user:a-secret-of-mail@mail.example';
  t.throws(() => loadConfig({ SMTP_URL }), new ConfigError(['MAIL_FROM: must be set where SMTP_URL is set']));
  t.equal(loadConfig({ SMTP_URL, MAIL_FROM: 'a@example.com' }).SMTP_URL, SMTP_URL);
  for (const bad of ['http://user:a-secret-of-mail@x', 'a-secret-of-mail'])
    try {
      loadConfig({ SMTP_URL: bad, MAIL_FROM: 'a@example.com' });
      t.fail('it is accepted');
    } catch (error) {
      t.match(String(error), 'SMTP_URL');
      t.notMatch(String(error), 'a-secret-of-mail');
    }
  for (const bad of ['nobody', 'A <nobody>', 'a@b\nBcc: c@d'])
    t.throws(() => loadConfig({ MAIL_FROM: bad }), ConfigError, bad);
});
