import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import t from 'tap';
import { cipherOf } from '../../../mixins/provider-api/cipher.ts';
import { logIn } from '../../../services/auth/actions/log-in.ts';
import { tokenSignerOf } from '../../../services/auth/rules/access-tokens.ts';
import { deleteExpired } from '../../../services/auth/tables/expired.ts';
import { type AttemptPriority, countAttempt, trustedPriority } from '../../../services/auth/work/attempts.ts';
import { createHashingQueue, type Passwords } from '../../../services/auth/work/passwords.ts';
import { account } from '../../support/auth.ts';
import { insertDeveloper } from '../../support/developer.ts';
import { refusal } from '../../support/refusal.ts';
import { testConfig } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const origin = { actor: null, requestId: null };
const other = { email: 'bob@example.com', password: 'the password of another one' };

const database = await freshDatabase(t);
for (const one of [account, other]) await insertDeveloper(database, one);

t.beforeEach(() => database.query('truncate auth.attempt_window, auth.known_log_in, auth.rate_window'));

/** Log-ins whose hashes are free of cost; `attempt` answers the turn that the hash of a log-in took. */
function startLogIns(t: Test, settings: Readonly<Record<string, string>> = {}) {
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
  const cipher = cipherOf(config);
  const given = { database, passwords, config, cipher, tokens: tokenSignerOf(config), origin };
  const attempt = async (email: string, address: string, password = 'wrong', type?: 'RATE_LIMITED') => {
    const tries = countAttempt({ database, config, meta: { address } }, email, (turn) =>
      logIn(given, email, password, turn),
    );
    if (password === 'right') await tries;
    else await t.rejects(tries, refusal(type ?? 'UNAUTHENTICATED'));
    return turns.at(-1);
  };
  return attempt;
}

t.test('an address is known for an account after a log-in', async (t) => {
  const attempt = startLogIns(t);
  t.match(await attempt(account.email, '192.0.2.1'), { isKnown: false }, 'a failure makes nothing known');
  t.match(await attempt(account.email, '192.0.2.1', 'right'), { isKnown: false });
  t.match(await attempt(account.email, '192.0.2.1'), { isKnown: true });
  t.match(await attempt(account.email.toUpperCase(), '192.0.2.1', 'right'), { isKnown: true });
  t.match(await attempt(account.email, '192.0.2.2'), { isKnown: false }, 'another address');
  t.match(await attempt(other.email, '192.0.2.1'), { isKnown: false }, 'another account');
  t.match(await attempt('nobody@example.com', '192.0.2.1'), { isKnown: false });
});

/** Log-ins in a queue whose hashes end on demand. `begun` has the addresses whose hashes began. */
function startQueuedLogIns() {
  const config = testConfig({ databaseUrl: database.url });
  const enqueue = createHashingQueue({ atOnce: 2, reserved: 1, mostWaiting: 128, mostWaitMs: 3_600_000 });
  const begun: string[] = [];
  let endings: (() => void)[] = [];
  let arrived = 0;
  const passwords: Passwords = {
    hash: async () => '',
    matches: (password, _, priority = trustedPriority) => {
      arrived += 1;
      return enqueue(priority, async () => {
        begun.push(priority.address);
        await new Promise<void>((resolve) => endings.push(resolve));
        return password === 'right';
      });
    },
    computed: 0,
  };
  const cipher = cipherOf(config);
  const given = { database, passwords, config, cipher, tokens: tokenSignerOf(config), origin };
  const start = async (email: string, address: string, password = 'wrong') => {
    let isQueued = false;
    const attempt = countAttempt({ database, config, meta: { address } }, email, (priority) => {
      isQueued = true;
      return logIn(given, email, password, priority);
    });
    const outcome = await attempt.then(
      () => 'logged in',
      (error: unknown) => Reflect.get(Object(error), 'type'),
    );
    if (!isQueued) arrived += 1;
    return outcome;
  };
  const untilArrived = async (n: number) => {
    while (arrived < n) await sleep(5);
  };
  const end = async () => {
    const ended = endings;
    endings = [];
    for (const one of ended) one();
    await sleep(5);
  };
  return { start, begun, untilArrived, end };
}

const attacks: Readonly<Record<string, (n: number) => string>> = {
  'the account': () => account.email,
  'unknown accounts': (n) => `nobody${n}@example.com`,
};
// The number of hashes that began before: those in work, or one of each of the attack's addresses.
const newAddresses = {
  'another range': ['203.0.113.1', 2],
  'the range of the attack': ['192.0.2.99', 8],
} as const;

for (const [ofWhom, emailOf] of Object.entries(attacks))
  for (const [where, [newAddress, before]] of Object.entries(newAddresses))
    t.test(
      `of 240 wrong passwords of ${ofWhom} ${before} are checked before a log-in from ${where}`,
      async (t) => {
        const { start, begun, untilArrived, end } = startQueuedLogIns();
        const attack = Array.from({ length: 240 }, (_, n) => start(emailOf(n), `192.0.2.${1 + (n % 8)}`));
        await untilArrived(240);
        t.equal(begun.length, 2);
        const honest = start(account.email, newAddress, 'right');
        await untilArrived(241);
        const all = Promise.all([honest, ...attack]);
        let isOver = false;
        void all.finally(() => {
          isOver = true;
        });
        while (!isOver) await end();
        const [ofHonest, ...ofAttack] = await all;
        t.equal(ofHonest, 'logged in');
        t.equal(begun.indexOf(newAddress), before);
        t.same(new Set(ofAttack), new Set(['UNAUTHENTICATED', 'RATE_LIMITED']));
      },
    );

t.test('an account with too many failures is limited for an hour', async (t) => {
  const attempt = startLogIns(t, { RATE_LIMIT_ACCOUNT_FAILURES: '2' });
  const age = (minutes: number) =>
    database.query("update auth.attempt_window set started_at = started_at - $1 * interval '1 minute'", [
      minutes,
    ]);
  await attempt(account.email, '192.0.2.1');
  await attempt(account.email, '192.0.2.2');
  await age(59);
  await deleteExpired(database);
  const fail = async (times: number, address: string) => {
    for (let n = 0; n < times; n++) await attempt('nobody@example.com', address);
  };
  await fail(2, '192.0.2.3');
  await attempt(account.email, '192.0.2.3');
  await attempt(account.email, '192.0.2.3', 'wrong', 'RATE_LIMITED');
  await fail(3, '192.0.2.4');
  await attempt(account.email, '192.0.2.4', 'wrong', 'RATE_LIMITED');
  await age(2);
  await fail(3, '192.0.2.5');
  await attempt(account.email, '192.0.2.5');
});

t.test('an address may fail as often a minute as the setting says', async (t) => {
  const attempt = startLogIns(t, { RATE_LIMIT_FAILURES: '2' });
  await attempt(account.email, '192.0.2.1', 'right');
  await attempt(account.email, '192.0.2.1');
  await attempt('nobody@example.com', '192.0.2.1');
  await attempt(other.email, '192.0.2.1', 'wrong', 'RATE_LIMITED');
  await attempt(other.email, '192.0.2.2');
});

t.test('known addresses are kept as hashes, for 60 days after the last log-in', async (t) => {
  const attempt = startLogIns(t);
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
