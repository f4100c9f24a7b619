import { randomUUID } from 'node:crypto';
import t from 'tap';
import { sha256 } from '../../../services/auth/rules/secrets.ts';
import { selectWindow } from '../../../services/auth/tables/admission.ts';
import { logIn, startAuth } from '../../support/auth.ts';

const limits = { RATE_LIMIT_API_KEY: '11', RATE_LIMIT_DEVELOPER: '12', RATE_LIMIT_SDK: '13' };

t.test('a window shows the limit of its kind and the used part', async (t) => {
  const { call } = await startAuth(t, limits);
  const { tokens, as } = await logIn(call);
  const { id: user_id } = await call('users.create', {});
  const { key, id } = await call('auth.createKey', {}, as);
  const issued = await call('auth.issueToken', { user_id }, as);
  await call('auth.admit', { api_key_hash: sha256(key) });
  await call('auth.admit', { token: issued.access_token });
  await call('auth.admit', { token: tokens.access_token });
  const look = (subject_id: string | null) => call('auth.window', { subject_id: subject_id ?? '' });
  t.match(await look(id), { kind: 'api-key', limit: 11, used: 1, remaining: 10, reset_at: /Z$/ });
  t.match(await look(as.meta.caller.developer_id), { kind: 'developer', limit: 12, used: 2, remaining: 10 });
  t.match(await look(user_id), { kind: 'sdk', limit: 13, used: 1, remaining: 12 });
  const unused = { kind: 'sdk', limit: 13, used: 0, remaining: 13, reset_at: null };
  t.same(await look(randomUUID()), unused);
});

t.test('a window is over 60 s after its start, not before', async (t) => {
  const { database } = await startAuth(t);
  const subject = randomUUID();
  await database.query('insert into auth.rate_window (subject, started_at, count) values ($1, now(), 3)', [
    subject,
  ]);
  const usedAfter = (interval: string) =>
    database.transaction(async (transaction) => {
      // now() is constant within a transaction.
      await transaction.query('update auth.rate_window set started_at = now() - $1::interval', [interval]);
      return (await selectWindow(transaction, subject)).used;
    });
  t.equal(await usedAfter('59.999999 seconds'), 3);
  t.equal(await usedAfter('60 seconds'), 0);
});
