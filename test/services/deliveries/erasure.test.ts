import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import type { Database } from '../../../mixins/database/database.ts';
import { settleJob } from '../../../mixins/jobs/job-outcomes.ts';
import { claimJobs, type JobOutcome, type JobRow } from '../../../mixins/jobs/job-queue.ts';
import { bytesPerPiece } from '../../../services/deliveries/tables/deliveries.ts';
import { eraseDue, eraseOnePiece, requestErasure } from '../../../services/deliveries/work/erasure.ts';
import { daily } from '../../fixtures/devicemaker/dailies.ts';
import { createUser, createWearer, push, startApi } from '../../support/api.ts';
import { json, startCallbackServer } from '../../support/callback-server.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';

const provider = await startCallbackServer(t);
const api = await startApi(t, { DEVICEMAKER_API_URL: `${provider.origin}/rest` });
const { database } = api;

t.beforeEach(() => database.query('truncate deliveries.delivery, deliveries.erasure cascade'));

const pace = { graceSeconds: 0, bytesPerPiece };

/** Goes the rounds that would come in a minute, until nothing is due; tells how many pieces there were. */
async function eraseAll(on: Database = database, bytes = bytesPerPiece): Promise<number> {
  await database.query('update deliveries.erasure set run_at = now()');
  let pieces = 0;
  while (await eraseOnePiece(on, { ...pace, bytesPerPiece: bytes })) pieces += 1;
  return pieces;
}

const remove = (userId: string) => api.expect(200, `/users/${userId}`, { method: 'DELETE' });
const dayOf = (account: string, steps: number) => daily(account, 1, { steps });

/** The bodies that are kept, as text, in the order in which they came. */
const bodies = async () =>
  (
    await database.query<{ text: string }>(
      "select convert_from(body, 'utf8') as text from deliveries.delivery order by received_at",
    )
  ).map(({ text }) => text);
const ids = async () =>
  (await database.query<{ id: string }>('select id from deliveries.delivery order by received_at')).map(
    ({ id }) => id,
  );
const left = () => database.query('select provider_user_id, waiting from deliveries.erasure');
const replay = (id: string | undefined) =>
  api.ask(`/api/v1/deliveries/${id}/replay`, { method: 'POST', key: api.apiKey });

t.test('each delivery that mentions who is deleted is emptied, and no other one', async (t) => {
  const { userId, account: erased } = await createWearer(api);
  const { account: other } = await createWearer(api);
  const activities = [
    { userId: erased, summaryId: 's', activityName: 'A secret run', activityType: 'RUNNING' },
  ];
  await push(api, { activities, dailies: [dayOf(other, 1), dayOf(erased, 4711)] });
  await push(api, { dailies: [dayOf(erased, 4711)] });
  await push(api, { dailies: [dayOf(other, 2)] });
  const before = await bodies();
  t.equal(before[0], JSON.stringify({ activities, dailies: [dayOf(other, 1), dayOf(erased, 4711)] }));
  await remove(userId);
  t.match(await left(), [{ provider_user_id: erased, waiting: [] }]);
  await eraseAll();

  t.same(await bodies(), ['', '', before[2]]);
  const kept = `select headers, answer, error, convert_from(body, 'UTF8') as body from deliveries.delivery`;
  t.notMatch(JSON.stringify(await database.query(kept)), /secret run|"steps\W+4711/);
  t.same(await left(), [], 'nor is the account named any more');

  for (const id of (await ids()).slice(0, 2)) {
    const refused = await replay(id);
    t.same(
      [refused.status, refused.body],
      [409, { detail: 'The content of this delivery was erased with its user.', code: 'DELIVERY_ERASED' }],
    );
  }
  t.equal((await replay((await ids())[2])).status, 202);
  t.equal((await api.ask('/api/v1/deliveries?status=done', { key: api.apiKey })).status, 200);
});

t.test('a dead letter is emptied and done, and cannot be replayed', async (t) => {
  const gone = await createWearer(api);
  await push(api, { dailies: [dayOf(gone.account, 5), dayOf('stranger', 6)] });
  await database.query("update deliveries.delivery set state = 'dead', error = 'INTERNAL'");
  await remove(gone.userId);
  await eraseAll();
  t.same(await bodies(), ['']);
  t.same(await database.query('select state from deliveries.delivery'), [{ state: 'done' }]);
  t.equal((await replay((await ids())[0])).status, 409);
});

t.test('what is not done waits until it is', async (t) => {
  const { userId, account } = await createWearer(api);
  await push(api, { dailies: [dayOf(account, 7)] });
  await push(api, { dailies: [dayOf(account, 8)] });
  const [open] = await ids();
  const later =
    "update deliveries.delivery set state = 'ready', done_at = null, run_at = now() + interval '1 hour'";
  await database.query(`${later} where id = $1`, [open]);
  await remove(userId);
  await eraseAll();
  t.match((await bodies())[0], account);
  t.equal((await bodies())[1], '');
  t.match(await left(), [{ waiting: [open] }]);
  await eraseAll();
  t.match(await left(), [{ waiting: [open] }]);
  await database.query("update deliveries.delivery set state = 'done', done_at = now() where id = $1", [
    open,
  ]);
  await eraseAll();
  t.same(await bodies(), ['', '']);
  t.same(await left(), []);
});

t.test('what waits for another attempt is emptied after it, and the others keep their data', async (t) => {
  const gone = await createWearer(api);
  const other = await createWearer(api);
  await push(api, { dailies: [dayOf(gone.account, 7), dayOf(other.account, 8)] });
  await database.query(
    `update deliveries.delivery set state = 'ready', done_at = null, error = 'SERVICE_UNAVAILABLE',
       run_at = now() + interval '1 hour'`,
  );
  await database.query('delete from timeseries.item where user_id = $1', [other.userId]);
  await remove(gone.userId);
  await eraseAll();
  t.match(await bodies(), [gone.account]);
  await database.query('update deliveries.delivery set run_at = now()');
  const done = "select answer from deliveries.delivery where state = 'done'";
  await until(async () => (await database.query(done)).length === 1, 'the delivery is done');
  t.match(await database.query(done), [{ answer: { wellness: { dailies: { processed: 2, saved: 1 } } } }]);
  await eraseAll();
  t.same(await bodies(), ['']);
  t.same(await left(), []);
  t.equal((await replay((await ids())[0])).status, 409);
});

t.test('what names the account in any other way is emptied too', async (t) => {
  const { userId, account } = await createWearer(api);
  const escaped = [...account].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  for (const body of [
    { dailies: [{ userID: account, heartRate: 61 }] },
    { dailies: [[{ user: { id: account }, heartRate: 62 }], { summaryId: `${account}-1` }] },
    { odd: { of: account } },
    { [account]: [{ heartRate: 64 }] },
    [{ userId: account, heartRate: 65 }],
    { dailies: [{ userId: 'stranger', device: account, steps: 9 }] },
    `{"dailies":[{"userId":"${account}"`,
    `{"dailies":[{"userId":"${escaped}"}]}`,
  ])
    await push(api, body);
  const kept = JSON.stringify({ dailies: [{ userId: 'stranger', name: 'x\\u0061' }] });
  await push(api, kept);
  t.equal((await bodies()).filter((body) => body.includes(account)).length, 7);
  await remove(userId);
  await eraseAll();
  t.same(await bodies(), ['', '', '', '', '', '', '', '', kept]);
  t.same(await left(), []);
});

t.test('one that went by its age is waited for no longer', async (t) => {
  const { userId, account } = await createWearer(api);
  await push(api, { dailies: [dayOf(account, 7)] });
  await database.query("update deliveries.delivery set state = 'ready', run_at = now() + interval '1 hour'");
  await remove(userId);
  await eraseAll();
  t.equal((await left()).length, 1);
  await database.query('delete from deliveries.delivery');
  await eraseAll();
  t.same(await left(), []);
});

t.test('its sender is answered first', async (t) => {
  const { userId, account } = await createWearer(api);
  await push(api, { dailies: [dayOf(account, 7)] });
  await remove(userId);
  await database.query('update deliveries.erasure set run_at = now()');
  while (await eraseOnePiece(database, { ...pace, graceSeconds: 60 }));
  t.match(await bodies(), [account]);
  t.equal((await left()).length, 1);
});

t.test('an account that is connected again keeps what came since', async (t) => {
  const { userId, account } = await createWearer(api);
  await push(api, { dailies: [dayOf(account, 9)] });
  await remove(userId);
  await createWearer(api, account);
  await push(api, { dailies: [dayOf(account, 10)] });
  const { userId: later } = await createWearer(api);
  await remove(later);
  t.equal((await left()).length, 2, 'looked for together with an account that was erased later');
  await eraseAll();
  const [before, since] = await bodies();
  t.equal(before, '');
  t.same(JSON.parse(since ?? ''), { dailies: [dayOf(account, 10)] });
});

t.test('what two people share stays as long as one of them does', async (t) => {
  const { userId: first, account } = await createWearer(api);
  const { userId: second } = await createWearer(api, account);
  await push(api, { dailies: [dayOf(account, 11)] });
  await remove(first);
  await eraseAll();
  t.match(await bodies(), [account]);
  await remove(second);
  await eraseAll();
  t.same(await bodies(), ['']);
});

/** Links a wearer's connection to another account. */
async function relink(userId: string, account: string): Promise<void> {
  await api.expect(200, `/users/${userId}/connections/devicemaker`, { method: 'DELETE' });
  const body = { provider: 'devicemaker', provider_user_id: account };
  await api.expect(201, `/users/${userId}/connections`, { body });
}

for (const [how, end] of [
  ['deletion', remove],
  [
    'purge',
    (userId: string) =>
      api.expect(200, `/users/${userId}/connections/devicemaker?purge=true`, { method: 'DELETE' }),
  ],
] as const)
  t.test(`a ${how} covers an account that the connection was linked to before`, async (t) => {
    const { userId, account: former } = await createWearer(api);
    const other = await createWearer(api);
    await push(api, { dailies: [dayOf(former, 1)] });
    await push(api, { dailies: [dayOf(other.account, 2)] });
    const account = randomUUID();
    await relink(userId, account);
    await relink(userId, account);
    await push(api, { dailies: [dayOf(account, 3)] });
    await end(userId);
    await eraseAll();
    t.same(await bodies(), ['', JSON.stringify({ dailies: [dayOf(other.account, 2)] }), '']);
  });

t.test('a former account stays as long as somebody else is connected to it', async (t) => {
  const { userId, account: former } = await createWearer(api);
  await createWearer(api, former);
  await push(api, { dailies: [dayOf(former, 1)] });
  await relink(userId, randomUUID());
  await remove(userId);
  await eraseAll();
  t.match(await bodies(), [former]);
});

t.test('more accounts than one call takes are erased together', async (t) => {
  const { userId, account } = await createWearer(api);
  await database.query(
    `insert into users.former_account (user_id, provider, provider_user_id)
     select $1, 'devicemaker', 'former-' || i from generate_series(1, 150) i`,
    [userId],
  );
  await push(api, { dailies: [dayOf('former-150', 1), dayOf(account, 1)] });
  await remove(userId);
  await eraseAll();
  t.same(await bodies(), ['']);
  t.same(await database.query('select from users.former_account where user_id = $1', [userId]), []);
});

t.test('a crash in the middle leaves the work as it was, and the next process goes on', async (t) => {
  const { userId, account } = await createWearer(api);
  for (let n = 0; n < 6; n += 1) await push(api, { dailies: [dayOf(account, n)] });
  await remove(userId);
  let pieces = 0;
  const dies: Database = {
    ...database,
    transaction: (work) =>
      database.transaction(async (transaction) => {
        const done = await work(transaction);
        pieces += 1;
        if (pieces === 3) throw new Error('killed');
        return done;
      }),
  };
  await t.rejects(eraseAll(dies, 1), /killed/);
  t.equal((await bodies()).filter((body) => body.includes(account)).length, 4);
  t.equal((await left()).length, 1);
  t.ok((await eraseAll(database, 1)) >= 4, 'a body a piece');
  t.same(await bodies(), ['', '', '', '', '', '']);
  t.same(await left(), []);
});

t.test('two processes at once, and several people: everything is emptied', async (t) => {
  const gone = [await createWearer(api), await createWearer(api), await createWearer(api)];
  for (let n = 0; n < 12; n += 1)
    await push(api, { dailies: [dayOf(gone[n % 3]?.account ?? 'stranger', n), dayOf('stranger', n)] });
  for (const { userId } of gone) await remove(userId);
  for (let round = 0; round < 20 && (await left()).length > 0; round += 1)
    await Promise.all([eraseAll(database, 1), eraseAll(database, 1)]);
  t.same(await left(), []);
  t.same(await bodies(), Array(12).fill(''));
});

t.test('what was fetched for a ping is emptied with it, also for what was fetched only', async (t) => {
  const gone = await createWearer(api);
  const other = await createWearer(api);
  provider.answer((req, res) =>
    json([dayOf(other.account, 12), ...(req.url?.includes('shared') ? [dayOf(gone.account, 4712)] : [])])(
      req,
      res,
    ),
  );
  const headers = { 'devicemaker-client-id': 'tests' };
  for (const token of ['shared', 'own']) {
    const callbackURL = `${provider.origin}/rest/dailies?token=${token}`;
    const body = { dailies: [{ userId: other.account, callbackURL }] };
    const answer = await api.ask('/api/v1/webhooks/devicemaker/ping', { body, headers });
    t.match(answer.body, { wellness: { dailies: { processed: 1 } } });
  }
  const fetched = 'select delivery_id from deliveries.progress where body is not null';
  t.equal((await database.query(fetched)).length, 2);
  await remove(gone.userId);
  await eraseAll();
  const [shared, own] = await ids();
  t.match(await bodies(), ['', other.account]);
  t.same(await database.query(fetched), [{ delivery_id: own }]);
  t.same([(await replay(shared)).status, (await replay(own)).status], [409, 202]);
});

t.test(
  'a person without an account has nothing to erase, and one who is not there is not told of',
  async (t) => {
    await remove(await createUser(api));
    t.same(await left(), []);
  },
);

/** The job of erasures without a worker: what is claimed, worked on and stored by hand. */
async function jobOfErasures(t: Test) {
  const alone = await freshDatabase(t);
  // The trigger enqueues for processes of the previous version.
  await alone.query('alter table deliveries.erasure disable trigger enqueue_erasure');
  const held = { signal: new AbortController().signal, holds: async () => true };
  const one = new Map([['deliveries.erasure', 1]]);
  return {
    request: (account: string) =>
      requestErasure(
        alone,
        [{ provider: 'devicemaker', provider_user_id: account }],
        new Date().toISOString(),
      ),
    async claim(): Promise<JobRow> {
      await alone.query('update jobs.job set run_at = now()');
      const [row] = await claimJobs(alone, one, { limit: 1, leaseMs: 60_000 });
      if (row === undefined) throw new Error('there is no job');
      return row;
    },
    makeDue: () => alone.query("update deliveries.erasure set run_at = now() - interval '1 hour'"),
    work: () => eraseDue(alone, held),
    settle: (row: JobRow, outcome: JobOutcome) =>
      settleJob(alone, { name: 'deliveries.erasure' }, row, outcome),
    jobs: () =>
      alone.query(
        `select leased, run_at <= now() as due, run_at > now() + interval '20 s' as later from jobs.job`,
      ),
  };
}

t.test('the job is due again with the next erasure, and ends with the last one', async (t) => {
  const { request, claim, makeDue, work, settle, jobs } = await jobOfErasures(t);
  await request('a');
  t.same(await jobs(), [{ leased: false, due: false, later: true }]);
  const early = await claim();
  const outcome = await work();
  t.match(outcome, { kind: 'again', delayMs: Number });
  t.equal(await settle(early, outcome), 'again');
  t.same(await jobs(), [{ leased: false, due: false, later: true }]);
  await makeDue();
  const row = await claim();
  t.equal(await settle(row, await work()), 'done');
  t.same(await jobs(), []);
});

t.test('an erasure that is requested before the outcome of the job is stored is not lost', async (t) => {
  const { request, claim, makeDue, work, settle, jobs } = await jobOfErasures(t);
  await request('a');
  await makeDue();
  const row = await claim();
  const outcome = await work();
  t.same(outcome, { kind: 'done' });
  await request('b');
  t.equal(await settle(row, outcome), 'done');
  t.same(await jobs(), [{ leased: false, due: true, later: false }]);
  t.match(await work(), { kind: 'again' });
});
