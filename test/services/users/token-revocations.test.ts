import { randomUUID } from 'node:crypto';
import t from 'tap';
import { claimJobs, type JobRow } from '../../../mixins/jobs/job-queue.ts';
import type { Call } from '../../../runtime/environment.ts';
import { tokenRevocationKind } from '../../../services/users/rules/job-kinds.ts';
import {
  cancelTokenRevocations,
  enqueueTokenRevocations,
} from '../../../services/users/tables/token-revocations.ts';
import { revokeTokens } from '../../../services/users/work/jobs.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
t.beforeEach(() => database.query('truncate jobs.job, users.person cascade'));

const expiresAt = '2026-03-01T10:00:00.000Z';

/** A user with an active connection to an account. */
async function connect(account: string) {
  const [person] = await database.query<{ id: string }>(
    'insert into users.person default values returning id',
  );
  const userId = person?.id ?? '';
  const [connection] = await database.query<{ id: string }>(
    `insert into users.connection (user_id, provider, provider_user_id, status, scope, access_token, expires_at)
     values ($1, 'devicemaker', $2, 'active', '{}', 'sealed', $3) returning id`,
    [userId, account, expiresAt],
  );
  return { userId, id: connection?.id ?? '' };
}

const change = (id: string, column: string, value: string) =>
  database.query(`update users.connection set ${column} = $2 where id = $1`, [id, value]);

/** Enqueues the revocation of a connection and ends the connection. */
async function end({ userId, id }: { readonly userId: string; readonly id: string }): Promise<void> {
  await enqueueTokenRevocations(database, userId, 'devicemaker');
  await change(id, 'status', 'revoked');
}

const claim = () =>
  claimJobs(database, new Map([[tokenRevocationKind.name, 10]]), { limit: 10, leaseMs: 1000 });
const accounts = async () =>
  (await database.query(`select payload ->> 'provider_user_id' as account from jobs.job order by 1`)).map(
    ({ account }) => account,
  );

/** Works on a claimed job. Returns the outcome and the parameters of the requests. */
async function work(row: JobRow | undefined, answer: object = { done: true, tokens: null }) {
  if (row === undefined) throw new Error('no job is due');
  const requests: unknown[] = [];
  const call = async (_name: string, params: unknown) => {
    requests.push(params);
    return answer;
  };
  const job = { ...row, payload: tokenRevocationKind.payload.parse(row.payload) };
  return { outcome: await revokeTokens({ database, call: call as unknown as Call }, job), requests };
}

t.test('the tokens of an ended connection are sent to its provider', async (t) => {
  const connection = await connect('a');
  await end(connection);
  const [row] = await claim();
  const sealed = { access_token: 'sealed', refresh_token: null, expires_at: expiresAt };
  t.same(await work(row), {
    outcome: { kind: 'done' },
    requests: [
      {
        connection_id: connection.id,
        provider: 'devicemaker',
        provider_user_id: 'a',
        client: null,
        region: null,
        ...sealed,
      },
    ],
  });
});

t.test('a connection that changes its account twice keeps a revocation for each', async (t) => {
  const account = { provider: 'devicemaker', provider_user_id: 'a', region: null } as const;
  const connection = await connect('a');
  for (const other of ['b', 'c']) {
    await enqueueTokenRevocations(database, connection.userId, null);
    await change(connection.id, 'provider_user_id', other);
  }
  t.same(await accounts(), ['a', 'b']);
  await cancelTokenRevocations(database, { ...account, provider: 'activitynet', client: null });
  t.same(await accounts(), ['a', 'b'], 'an account of another provider');
  await cancelTokenRevocations(database, { ...account, client: randomUUID() });
  t.same(await accounts(), ['a', 'b'], 'another client');
  await cancelTokenRevocations(database, { ...account, client: null, region: 'eu' });
  t.same(await accounts(), ['a', 'b'], 'an account of another region');
  await cancelTokenRevocations(database, { ...account, client: null });
  t.same(await accounts(), ['b']);
});

t.test('access is kept while another connection uses the account', async (t) => {
  const [one, other] = [await connect('a'), await connect('a')];
  await end(one);
  const [row] = await claim();
  t.same(await work(row), { outcome: { kind: 'done' }, requests: [] });
  await change(other.id, 'provider_user_id', 'b');
  t.equal((await work(row)).requests.length, 1);
});

t.test('a revocation is given up after a day', async (t) => {
  await end(await connect('a'));
  await database.query(`update jobs.job set created_at = now() - interval '23 hours 59 minutes'`);
  const [row] = await claim();
  t.equal((await work(row)).requests.length, 1);
  const created_at = new Date(Date.now() - 25 * 3_600_000);
  t.same(await work(row && { ...row, created_at }), { outcome: { kind: 'done' }, requests: [] });
});

t.test('refreshed tokens replace those of the job', async (t) => {
  await end(await connect('a'));
  const [row] = await claim();
  const tokens = { access_token: 'fresh', refresh_token: 'next', expires_at: null };
  const { outcome } = await work(row, { done: false, tokens });
  t.same(outcome, { kind: 'later', reason: 'NOT_REVOKED' });
  t.match(await database.query('select payload from jobs.job'), [
    { payload: { ...tokens, provider: 'devicemaker', provider_user_id: 'a' } },
  ]);
});
