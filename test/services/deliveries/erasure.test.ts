import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { z } from 'zod';
import type { Database } from '../../../mixins/database/database.ts';
import { settleJob } from '../../../mixins/jobs/job-outcomes.ts';
import { claimJobs, type JobOutcome, type JobRow } from '../../../mixins/jobs/job-queue.ts';
import { eraseDue, eraseOnePiece, requestErasure } from '../../../services/deliveries/erasure.ts';
import { bytesPerPiece } from '../../../services/deliveries/queries/select-named.ts';
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

const done = "select from deliveries.delivery where id = $1 and state = 'done'";
const untilDone = (id: string | undefined) =>
  until(async () => (await database.query(done, [id])).length > 0, 'the delivery is done');

const Answer = z.object({ answer: z.unknown() });

t.test('of who is deleted nothing is left in the inbox, of the others everything', async (t) => {
  const base = randomUUID();
  const [erased, other, alike] = [base, randomUUID(), `${base}-2`];
  const { userId } = await createWearer(api, erased);
  for (const account of [other, alike]) await createWearer(api, account);
  const activities = [
    { userId: erased, summaryId: 's', activityName: 'A secret run', activityType: 'RUNNING' },
  ];
  await push(api, { activities, dailies: [dayOf(other, 1), dayOf(erased, 4711), dayOf(alike, 2)] });
  await push(api, { dailies: [dayOf(erased, 4711)] });
  await push(api, { dailies: [dayOf(alike, 2)] });
  const before = await bodies();
  await remove(userId);
  t.match(await left(), [{ provider_user_id: erased, waiting: [] }]);
  await eraseAll();

  const [first = '', second, third] = await bodies();
  const whole = { activities, dailies: [dayOf(other, 1), dayOf(erased, 4711), dayOf(alike, 2)] };
  t.equal(before[0], JSON.stringify(whole));
  t.same(JSON.parse(first), { activities: [null], dailies: [dayOf(other, 1), null, dayOf(alike, 2)] });
  t.same([second, third], ['', before[2]]);
  const kept = `select headers, answer, error, convert_from(body, 'UTF8') as body from deliveries.delivery`;
  t.notMatch(JSON.stringify(await database.query(kept)), /secret run|"steps\W+4711/);
  t.same(await left(), [], 'nor is the account named any more');

  const [mixed, own] = await ids();
  t.equal((await replay(mixed)).status, 202);
  await untilDone(mixed);
  const [row] = await database.query('select answer from deliveries.delivery where id = $1', [mixed]);
  t.match(Answer.parse(row).answer, { wellness: { dailies: { processed: 3, saved: 0 } } });
  const refused = await replay(own);
  t.same(
    [refused.status, refused.body],
    [409, { detail: 'The content of this delivery was erased with its user.', code: 'DELIVERY_ERASED' }],
  );
  t.equal((await api.ask('/api/v1/deliveries?status=done', { key: api.apiKey })).status, 200);
});

t.test('what was given up is kept without the account, and brings the others their data', async (t) => {
  const gone = await createWearer(api);
  const other = await createWearer(api);
  await push(api, { dailies: [dayOf(gone.account, 5), dayOf(other.account, 6)] });
  await database.query("update deliveries.delivery set state = 'dead', error = 'INTERNAL'");
  await database.query('delete from timeseries.item where user_id = $1', [other.userId]);
  await remove(gone.userId);
  await eraseAll();
  t.same(JSON.parse((await bodies())[0] ?? ''), { dailies: [null, dayOf(other.account, 6)] });
  const [id] = await ids();
  t.equal((await replay(id)).status, 202);
  await untilDone(id);
  const [row] = await database.query('select answer from deliveries.delivery');
  t.match(Answer.parse(row).answer, {
    wellness: { dailies: { processed: 2, saved: 1 } },
    errors: ['dailies[0]: must be an object'],
  });
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

t.test('what waits for another attempt does so without the account', async (t) => {
  const gone = await createWearer(api);
  const other = await createWearer(api);
  await push(api, { dailies: [dayOf(gone.account, 7), dayOf(other.account, 8)] });
  await push(api, { dailies: [dayOf(gone.account, 7)] });
  await database.query(
    `update deliveries.delivery set state = 'ready', done_at = null, error = 'SERVICE_UNAVAILABLE',
       run_at = now() + interval '1 hour'`,
  );
  await database.query('delete from timeseries.item where user_id = $1', [other.userId]);
  await remove(gone.userId);
  await eraseAll();
  t.same(await bodies(), [JSON.stringify({ dailies: [null, dayOf(other.account, 8)] }), '']);
  t.same(await left(), []);
  await database.query('update deliveries.delivery set run_at = now()');
  const [mixed, own] = await ids();
  await untilDone(mixed);
  const rows = await database.query('select answer, attempts from deliveries.delivery order by received_at');
  t.match(Answer.parse(rows[0]).answer, { wellness: { dailies: { processed: 2, saved: 1 } } });
  t.match(rows[1], { answer: null, attempts: 1 }, 'nothing is left to work on');
  t.equal((await replay(own)).status, 409);
});

t.test('what names the account in any other way goes too', async (t) => {
  const gone = await createWearer(api);
  const other = await createWearer(api);
  const { account } = gone;
  const own = [
    { userID: account, heartRate: 61 },
    [{ user: { id: account }, heartRate: 62 }, dayOf(other.account, 1)],
    { summaryId: `${account}-1`, heartRate: 63 },
  ];
  await push(api, {
    dailies: [...own, dayOf(other.account, 2)],
    odd: { of: account },
    [account]: [{ heartRate: 64 }],
  });
  await push(api, `{"dailies":[{"userId":"${account}"`);
  await push(api, [{ userId: account, heartRate: 65 }]);
  await push(api, { dailies: [{ userId: other.account, device: account, steps: 9 }] });
  t.equal((await bodies()).filter((body) => body.includes(account)).length, 4);
  await remove(gone.userId);
  await eraseAll();
  t.same(await bodies(), [
    JSON.stringify({
      dailies: [null, [null, dayOf(other.account, 1)], null, dayOf(other.account, 2)],
      odd: null,
      '': null,
    }),
    '',
    '',
    JSON.stringify({ dailies: [{ userId: other.account, device: null, steps: 9 }] }),
  ]);
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
    await push(api, { dailies: [dayOf(former, 1), dayOf(other.account, 2)] });
    const account = randomUUID();
    await relink(userId, account);
    await relink(userId, account);
    await push(api, { dailies: [dayOf(account, 3)] });
    await end(userId);
    await eraseAll();
    t.same(await bodies(), [JSON.stringify({ dailies: [null, dayOf(other.account, 2)] }), '']);
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
  const other = await createWearer(api);
  for (let n = 0; n < 6; n += 1) await push(api, { dailies: [dayOf(account, n), dayOf(other.account, n)] });
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
  t.same(
    (await bodies()).map((body) => JSON.parse(body)),
    [0, 1, 2, 3, 4, 5].map((n) => ({ dailies: [null, dayOf(other.account, n)] })),
  );
  t.same(await left(), []);
});

t.test('two processes at once, and several people: everything is taken once', async (t) => {
  const gone = [await createWearer(api), await createWearer(api), await createWearer(api)];
  for (let n = 0; n < 12; n += 1)
    await push(api, { dailies: [...gone.map(({ account }) => dayOf(account, n)), dayOf('stranger', n)] });
  for (const { userId } of gone) await remove(userId);
  for (let round = 0; round < 20 && (await left()).length > 0; round += 1)
    await Promise.all([eraseAll(database, 1), eraseAll(database, 1)]);
  t.same(await left(), []);
  for (const body of await bodies())
    t.match(JSON.parse(body), { dailies: [null, null, null, { userId: 'stranger' }] });
});

t.test('what was fetched for a ping goes with it, and the other notices keep what is theirs', async (t) => {
  const gone = await createWearer(api);
  const other = await createWearer(api);
  provider.answer((req, res) => {
    const account = req.url?.includes('token=gone') ? gone.account : other.account;
    json([dayOf(account, 12), dayOf(gone.account, 4712)])(req, res);
  });
  const notice = (userId: string, token: string) => ({
    userId,
    callbackURL: `${provider.origin}/rest/dailies?token=${token}`,
  });
  const dailies = [notice(gone.account, 'gone'), notice(other.account, 'other')];
  const headers = { 'devicemaker-client-id': 'tests' };
  const answer = await api.ask('/api/v1/webhooks/devicemaker/ping', { body: { dailies }, headers });
  t.match(answer.body, { wellness: { dailies: { processed: 2, saved: 3 } } });
  await remove(gone.userId);
  await eraseAll();

  t.same(JSON.parse((await bodies())[0] ?? ''), { dailies: [null, dailies[1]] });
  const kept = await database.query<{ entry: string; text: string }>(
    "select entry, convert_from(body, 'utf8') as text from deliveries.progress where body is not null",
  );
  t.same(
    kept.map(({ entry, text }) => [entry, JSON.parse(text)]),
    [['dailies[1]', [dayOf(other.account, 12), null]]],
  );
  provider.asked.length = 0;
  const [id] = await ids();
  t.equal((await replay(id)).status, 202);
  await untilDone(id);
  t.same(provider.asked, [], 'the other notice is worked on from what was fetched for it');
});

t.test('a large delivery loses the account, and no other byte', async (t) => {
  const { userId, account } = await createWearer(api);
  const strangers = Array.from({ length: 60 }, (_, n) => daily(`stranger-${n}`, 24));
  await push(api, { dailies: [...strangers.slice(0, 30), daily(account, 24), ...strangers.slice(30)] });
  const [before = ''] = await bodies();
  t.ok(before.length > 2_000_000);
  await remove(userId);
  await eraseAll();
  t.equal((await bodies())[0], before.replace(JSON.stringify(daily(account, 24)), 'null'));
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
