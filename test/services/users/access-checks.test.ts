import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { AccessAnswer } from '../../../contracts/access-check.ts';
import type { ProviderName } from '../../../providers/all.ts';
import { settleAccessCheck } from '../../../services/users/connections/settle-access-check.ts';
import {
  claimAccessCheck,
  hasRoom,
  openAccessCheck,
  postponeAccessCheck,
  readsPerAccount,
} from '../../../services/users/queries/access-checks.ts';
import { holdDelivery, releaseHeld, selectHeld } from '../../../services/users/queries/held-deliveries.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const provider = 'activitynet';

/** A user with an account at a provider, of whom an unauthenticated ending is applied. */
async function member(of: ProviderName = provider, account: string = randomUUID()) {
  const [person] = await database.query<{ id: string }>(
    'insert into users.person default values returning id',
  );
  const [connection] = await database.query<{ id: string }>(
    `insert into users.connection (user_id, provider, provider_user_id, status, scope, access_token)
     values ($1, $2, $3, 'revoked', '{read}', 'sealed') returning id`,
    [person?.id, of, account],
  );
  const id = connection?.id ?? '';
  await openAccessCheck(database, { connectionId: id, provider: of, change: 'applied' });
  return { id, account };
}

/** What is kept of a connection and of its check. */
async function stateOf({ id }: { readonly id: string }) {
  const [row] = await database.query(
    `select c.status, c.status_reason as reason, c.access_token as token, c.scope, a.ending
     from users.connection c join users.access_check a on a.connection_id = c.id where c.id = $1`,
    [id],
  );
  return row;
}

t.test('a delivery is held for the unconfirmed accounts that it names, each provider its own', async (t) => {
  const [named, other, open] = [await member(), await member(), await member()];
  const elsewhere = await member('devicemaker', named.account);
  await database.query('update users.access_check set ending = null where connection_id = $1', [open.id]);
  const delivery = { id: randomUUID(), authenticated: false };
  await holdDelivery(database, provider, [named.account, open.account], delivery);
  const held = [named, other, open, elsewhere].map(({ id }) => selectHeld(database, id, 10));
  t.same(await Promise.all(held), [[delivery.id], [], [], []]);
});

t.test(
  'at most 10,000 deliveries of strangers are held for a connection, and all authenticated ones',
  async (t) => {
    const { id, account } = await member();
    await database.query(
      'insert into users.held_delivery select $1, gen_random_uuid() from generate_series(1, 9999)',
      [id],
    );
    const hold = async (authenticated: boolean) => {
      await holdDelivery(database, provider, [account], { id: randomUUID(), authenticated });
      return (await selectHeld(database, id, 20_000)).length;
    };
    t.same([await hold(false), await hold(false), await hold(true)], [10_000, 10_000, 10_001]);
  },
);

t.test('one held delivery is released, or all of its connection', async (t) => {
  const [one, other] = [await member(), await member()];
  const deliveries = [randomUUID(), randomUUID()].sort();
  for (const id of deliveries)
    await holdDelivery(database, provider, [one.account, other.account], { id, authenticated: false });
  await releaseHeld(database, one.id, deliveries[0]);
  t.same(await selectHeld(database, one.id, 10), deliveries.slice(1));
  t.same(await selectHeld(database, other.id, 1), deliveries.slice(0, 1), 'the most that was asked for');
  await releaseHeld(database, one.id);
  t.same(await selectHeld(database, one.id, 10), []);
  t.same(await selectHeld(database, other.id, 10), deliveries);
});

t.test('the reads of one provider take no room from another', async (t) => {
  await database.query('delete from users.access_check');
  const full: readonly (readonly [devicemaker: number, activitynet: number])[] = [
    [5, 0],
    [0, 5],
  ];
  for (const reads of full) {
    await database.query('delete from users.access_quota');
    await database.query(
      `insert into users.access_quota (provider, window_start, reads)
       values ('devicemaker', now(), $1), ('activitynet', now(), $2)`,
      [...reads],
    );
    const room = [await hasRoom(database, 'devicemaker', 5), await hasRoom(database, 'activitynet', 5)];
    t.same(room, [reads[0] < 5, reads[1] < 5]);
  }
  await database.query('delete from users.access_quota');
});

/** When the check of a connection is due, in minutes from now. */
async function dueIn({ id }: { readonly id: string }) {
  const [row] = await database.query<{ minutes: number }>(
    `select round(extract(epoch from run_at - now()) / 60)::int as minutes from users.access_check
     where connection_id = $1`,
    [id],
  );
  return row?.minutes;
}

t.test('a provider is asked as often in a window as its limit says', async (t) => {
  await database.query('delete from users.access_check');
  await Promise.all([member(), member(), member()]);
  const claim = () => database.transaction((on) => claimAccessCheck(on, provider, 2));
  t.ok(await claim());
  t.ok(await claim());
  t.equal(await claim(), undefined);
  await database.query('delete from users.access_quota');
});

t.test(
  'neither a report nor a retry is followed by more reads of an account than its window has',
  async (t) => {
    await database.query('delete from users.access_check');
    const account = await member();
    await postponeAccessCheck(database, account.id, 10 * 60_000);
    t.equal(await dueIn(account), 10);
    await openAccessCheck(database, { connectionId: account.id, provider, change: 'permissions' });
    await openAccessCheck(database, { connectionId: account.id, provider, change: 'permissions' });
    t.equal(await dueIn(account), 10, 'a report does not bring the check forward');
    await database.query(
      `update users.access_check set window_start = now() - interval '20 minutes', window_reads = ${readsPerAccount}`,
    );
    await postponeAccessCheck(database, account.id, 10 * 60_000);
    t.equal(await dueIn(account), 40, 'the window ends first');
  },
);

interface Row {
  readonly answer: AccessAnswer;
  readonly settled: string;
  readonly state: object;
  /** The audit of it: actions, and whether the provider confirmed what was done. */
  readonly audit: readonly (readonly [action: string, confirmed: boolean | null])[];
}

/** What a provider answers about an ending that was applied, and what becomes of the connection. */
const rows: readonly Row[] = [
  {
    answer: { access: 'granted', scope: null },
    settled: 'restored',
    state: { status: 'active', token: 'sealed', scope: ['read'], ending: 'restoring' },
    audit: [['connection.restored', null]],
  },
  {
    answer: { access: 'granted', scope: ['read', 'write'] },
    settled: 'restored',
    state: { status: 'active', scope: ['read', 'write'], ending: 'restoring' },
    audit: [
      ['connection.restored', null],
      ['connection.changed', null],
    ],
  },
  {
    answer: { access: 'ended', scope: null },
    settled: 'ended',
    state: { status: 'revoked', reason: null, token: null },
    audit: [['connection.revoked', true]],
  },
  {
    answer: { access: 'no_token', scope: null },
    settled: 'ended',
    state: { status: 'revoked', token: null },
    audit: [['connection.revoked', false]],
  },
  {
    answer: { access: 'unknown', scope: null },
    settled: 'postponed',
    state: { status: 'revoked', token: 'sealed', ending: 'applied' },
    audit: [],
  },
];

const untouched = { status: 'revoked', token: 'sealed', ending: 'applied' };

/** A connection whose check is claimed, and another one whose check is due as well. */
async function claimedCheck() {
  await database.query('delete from users.access_check');
  const [asked, other] = [await member(), await member('devicemaker')];
  const lease = await claimAccessCheck(database, provider, 1000);
  if (lease?.connection_id !== asked.id) throw new Error('the check is not due');
  return { asked, other, lease };
}

t.test('the answer of the provider decides about the connection that was asked about alone', async (t) => {
  for (const { answer, settled, state, audit } of rows) {
    const { asked, other, lease } = await claimedCheck();
    const text = JSON.stringify(answer);
    t.equal(await settleAccessCheck(database, { lease, provider, answer }), settled, text);
    t.match(await stateOf(asked), state, text);
    t.match(await stateOf(other), untouched);
    const entries = await database.query(
      'select action, details from auth.audit_entry where subject_id = $1 order by id',
      [asked.id],
    );
    t.same(
      entries.map(({ action, details }) => [action, details.confirmed ?? null]),
      audit,
      text,
    );
  }
});

t.test('an answer to an earlier claim, or about a deleted user, changes nothing', async (t) => {
  const { asked, lease } = await claimedCheck();
  const answer = { access: 'ended', scope: null } as const;
  const late = { ...lease, attempt: lease.attempt - 1 };
  t.equal(await settleAccessCheck(database, { lease: late, provider, answer }), 'lost');
  await database.query('update users.person set deleted_at = now() where id = $1', [lease.user_id]);
  t.equal(await settleAccessCheck(database, { lease, provider, answer }), 'lost');
  t.match(await stateOf(asked), untouched);
});
