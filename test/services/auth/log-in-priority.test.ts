import t, { type Test } from 'tap';
import { type AttemptPriority, countAttempt } from '../../../services/auth/attempts.ts';
import { logIn } from '../../../services/auth/log-in.ts';
import type { Passwords } from '../../../services/auth/passwords.ts';
import { deleteExpired } from '../../../services/auth/queries/delete-expired.ts';
import { tokenSignerOf } from '../../../services/auth/tokens.ts';
import { account, startAuth } from '../../support/auth.ts';
import { testConfig } from '../../support/broker.ts';
import { refusal } from '../../support/refusal.ts';

const other = { email: 'bob@example.com', password: 'the password of another one' };

/** Log-ins whose hashes are free of cost; `attempt` answers the turn that the hash of a log-in took. */
async function startLogIns(t: Test, settings: Readonly<Record<string, string>> = {}) {
  const { database, call } = await startAuth(t);
  await call('auth.createDeveloper', other);
  const config = testConfig({ databaseUrl: database.url, settings });
  const turns: AttemptPriority[] = [];
  const passwords: Passwords = {
    hash: async () => '',
    async matches(password, _, turn) {
      if (turn !== undefined) turns.push(turn);
      return password === 'right';
    },
    computed: 0,
  };
  const origin = { actor: null, requestId: null };
  const given = { database, passwords, config, tokens: tokenSignerOf(config), origin };
  const attempt = async (email: string, address: string, password = 'wrong') => {
    const tries = countAttempt({ database, config, meta: { address } }, email, (turn) =>
      logIn(given, email, password, turn),
    );
    if (password === 'right') await tries;
    else await t.rejects(tries, refusal('UNAUTHENTICATED'));
    return turns.at(-1);
  };
  return { attempt, database };
}

t.test('an address is known for an account after a log-in', async (t) => {
  const { attempt } = await startLogIns(t);
  t.match(await attempt(account.email, '192.0.2.1'), { isKnown: false }, 'a failure makes nothing known');
  t.match(await attempt(account.email, '192.0.2.1', 'right'), { isKnown: false });
  t.match(await attempt(account.email, '192.0.2.1'), { isKnown: true });
  t.match(await attempt(account.email.toUpperCase(), '192.0.2.1', 'right'), { isKnown: true });
  t.match(await attempt(account.email, '192.0.2.2'), { isKnown: false }, 'another address');
  t.match(await attempt(other.email, '192.0.2.1'), { isKnown: false }, 'another account');
  t.match(await attempt('nobody@example.com', '192.0.2.1'), { isKnown: false });
});

t.test('an attempt counts as often as its address or its account was tried', async (t) => {
  const { attempt } = await startLogIns(t, { RATE_LIMIT_ACCOUNT_FAILURES: '3' });
  t.match(await attempt(account.email, '192.0.2.1'), { address: '192.0.2.1', tries: 1 });
  t.match(await attempt(account.email, '192.0.2.2'), { tries: 2 }, 'the account was tried from elsewhere');
  t.match(await attempt(other.email, '192.0.2.3'), { tries: 1 });
  t.match(await attempt('nobody@example.com', '192.0.2.3'), { tries: 2 }, 'the address tried another one');
  t.match(await attempt(account.email, '192.0.2.4'), { tries: 3 });
  t.match(await attempt(account.email, '192.0.2.5'), { tries: 3 }, 'over the limit of the account');
});

t.test('known addresses are kept as hashes, for 60 days after the last log-in', async (t) => {
  const { attempt, database } = await startLogIns(t);
  const age = (days: number) =>
    database.query("update auth.known_log_in set last_at = now() - $1 * interval '1 day'", [days]);
  await attempt(account.email, '192.0.2.1', 'right');
  const rows = await database.query('select address_hash::text as hash from auth.known_log_in');
  t.match(rows, [{ hash: /^\\x[0-9a-f]{64}$/ }]);
  await age(59);
  t.equal(await deleteExpired(database), 0);
  await attempt(account.email, '192.0.2.1', 'right');
  await age(61);
  t.equal(await deleteExpired(database), 1);
  t.match(await attempt(account.email, '192.0.2.1'), { isKnown: false });
});
