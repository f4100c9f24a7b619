import t from 'tap';
import { push } from '../support/api.ts';
import { until } from '../support/until.ts';
import { install, type Member, type Name, paths, shows } from './forged-endings.ts';

const names: readonly Name[] = ['devicemaker', 'activitynet'];
const on = await install(t);
const { api, provider } = on;

/** Answers of a provider that leave a check open; `settle` ends that. */
function stall(name: Name): void {
  provider.faults.set(paths[name].read, 503);
}

// The first try has failed by then: what hurries it must not be overwritten by its postponement.
async function settle(name: Name): Promise<void> {
  const untried = () =>
    api.database.query(`select from users.access_check where ending = 'applied' and failures = 0`);
  await until(async () => (await untried()).length === 0);
  provider.faults.delete(paths[name].read);
  await on.hurry();
}

for (const name of names)
  t.test(`${name}: a forged ending is applied at once and undone after a read contradicts it`, async (t) => {
    const member = await on.member(name);
    stall(name);
    const answer = await on.report(member);
    if (name === 'devicemaker') t.match(answer, { deregistrations: { revoked: 1, errors: [] } });
    else t.match(answer, { status: 'processed', message: /the connection is revoked/ });
    const ended = await on.connection(member);
    t.match(ended, { status: 'revoked', status_reason: 'ENDING_UNCONFIRMED', access_token: String });
    t.notOk(ended.access_token?.includes(member.token), 'the token stays encrypted');
    await until(() => on.reads(name) > 0);
    t.match(await on.connection(member), { status: 'revoked', access_token: ended.access_token });
    await settle(name);
    await shows(api, member, 'active');
    t.match(await on.connection(member), { status_reason: null, access_token: ended.access_token });
    t.equal(on.revocations(name), 0, 'nobody gave our access up');
    t.equal(provider.alive.get(member.token), member.account);
    const entries = (await on.audit(member)).filter(({ action }) => action !== 'connection.created');
    t.match(entries, [
      { action: 'connection.revoked', actor: `webhook:${name}`, details: { confirmed: false } },
      { action: 'connection.restored', actor: 'system:users' },
    ]);
    t.equal(entries.length, 2);
  });

for (const name of names)
  for (const status of [401, 403, 404])
    t.test(
      `${name}: an ending that a read answers with ${status} is final, the tokens are erased`,
      async (t) => {
        const member = await on.member(name);
        const before = on.revocations(name);
        if (status === 401) provider.alive.delete(member.token);
        else provider.faults.set(paths[name].read, status);
        await on.report(member);
        t.equal((await on.connection(member)).status, 'revoked');
        await until(async () => (await on.connection(member)).access_token === null);
        provider.faults.clear();
        t.match(await on.connection(member), {
          status: 'revoked',
          status_reason: null,
          ending: null,
          held: 0,
        });
        t.equal(on.revocations(name), before);
        t.match((await on.audit(member)).at(-1), {
          action: 'connection.revoked',
          details: { cause: 'provider_read', confirmed: true },
        });
        t.match(
          await on.report(member),
          name === 'devicemaker' ? { deregistrations: { revoked: 0 } } : { status: 'skipped' },
        );
      },
    );

for (const name of names)
  t.test(`${name}: an ending on the secret address is final at once, without a read`, async (t) => {
    const member = await on.member(name);
    const before = [on.reads(name), on.revocations(name)];
    await on.report(member, true);
    t.match(await on.connection(member), { status: 'revoked', access_token: null, ending: null });
    await new Promise((resolve) => setTimeout(resolve, 2500)); // two rounds of checks and of revocations
    t.same([on.reads(name), on.revocations(name)], before);
    t.match((await on.audit(member)).at(-1), { details: { authenticated: true, confirmed: true } });
  });

t.test('the ending of a connection without a token is final', async (t) => {
  const member = await on.member('devicemaker', { access_token: undefined });
  t.match(await on.report(member), { deregistrations: { revoked: 1 } });
  t.match(await on.connection(member), { status: 'revoked', ending: null });
});

const day = { steps: 7654, calendarDate: '2026-03-01', startTimeInSeconds: Date.UTC(2026, 2, 1) / 1000 };
const dailies = ({ account }: Member, more = {}) => ({
  dailies: [
    {
      ...{
        userId: account,
        summaryId: `d-${account}`,
        durationInSeconds: 86_400,
        startTimeOffsetInSeconds: 0,
      },
      ...day,
      ...more,
    },
  ],
});
const stepsOf = async ({ userId }: Member) => {
  const path = `/users/${userId}/summaries/activity?start_date=2026-03-01&end_date=2026-03-01`;
  return JSON.stringify(await api.expect(200, path)).match(/"steps":(\d+)/)?.[1];
};

t.test(
  'data that arrived during an unconfirmed ending is stored once the ending is contradicted',
  async (t) => {
    const member = await on.member('devicemaker');
    stall('devicemaker');
    await on.report(member);
    t.match((await push(api, dailies(member))).body, { wellness: { dailies: { processed: 1, saved: 0 } } });
    const forged = {
      ...dailies(member, { summaryId: 'f', steps: 7655 }),
      deregistrations: [{ userId: member.account }],
    };
    t.match((await push(api, forged)).body, { deregistrations: { revoked: 0 } });
    t.equal(await stepsOf(member), undefined, 'nothing is taken in meanwhile');
    t.equal((await on.connection(member)).held, 2);
    await settle('devicemaker');
    await shows(api, member, 'active');
    await until(async () => (await stepsOf(member)) !== undefined);
    await until(async () => (await on.connection(member)).held === 0);
    await shows(api, member, 'active');
    t.equal((await on.audit(member)).filter(({ action }) => action === 'connection.restored').length, 1);
  },
);

t.test('data of an account that really ended is not stored', async (t) => {
  const member = await on.member('devicemaker');
  stall('devicemaker');
  await on.report(member);
  await push(api, dailies(member));
  provider.alive.delete(member.token);
  await settle('devicemaker');
  await until(async () => (await on.connection(member)).access_token === null);
  t.match(await on.connection(member), { status: 'revoked', held: 0 });
  t.equal(await stepsOf(member), undefined);
});

t.test(
  'after a contradiction, events that arrived meanwhile and dropped fetches are processed',
  async (t) => {
    const member = await on.member('activitynet');
    const events = (object_id: number) =>
      api.ask('/api/v1/webhooks/activitynet/webhook', {
        body: {
          ...{ object_type: 'activity', aspect_type: 'create', subscription_id: 1, updates: {} },
          ...{ object_id, owner_id: Number(member.account), event_time: Math.floor(Date.now() / 1000) },
        },
      });
    for (const id of [501, 502]) provider.faults.set(`/an/api/activities/${id}`, 503);
    await events(501);
    stall('activitynet');
    await on.report(member);
    t.match((await events(502)).body, { status: 'skipped' });
    const rows = () =>
      api.database.query<{ object_id: string; work: string | null; error: string | null }>(
        'select object_id, work, error from activitynet.activity where user_id = $1 order by object_id',
        [member.userId],
      );
    await until(async () => {
      // A first try that failed before the report would wait a minute for the next one.
      await api.database.query(
        'update activitynet.activity set run_at = now() where object_id = 501 and not leased',
      );
      return (await rows())[0]?.error === 'CONNECTION_GONE';
    });
    await settle('activitynet');
    // A read may fail that began before the provider answers again; the next one would wait a minute.
    await until(async () => {
      await on.hurry();
      return (await on.connection(member)).status === 'active';
    });
    await until(async () => {
      const all = await rows();
      return all.length === 2 && all.every(({ work }) => work === 'fetch');
    });
  },
);

t.test('a backfill that a forged ending stopped continues', async (t) => {
  const member = await on.member('devicemaker');
  const path = `/users/${member.userId}/connections/devicemaker/backfill`;
  await api.expect(202, path, { method: 'POST' });
  const asked = () => provider.count('GET', '/dm/api/backfill/dailies');
  await until(() => asked() > 0);
  stall('devicemaker');
  await on.report(member);
  t.match(await api.expect(200, path), { status: 'stopped' });
  const before = asked();
  await settle('devicemaker');
  await shows(api, member, 'active');
  await until(async () => JSON.stringify(await api.expect(200, path)).includes('"running"'));
  await until(() => asked() > before, 'what was asked is asked again');
});

t.test('50 forged endings at once take one read', async (t) => {
  const member = await on.member('devicemaker');
  const before = on.reads('devicemaker');
  stall('devicemaker');
  const answers = await Promise.all(Array.from({ length: 50 }, () => on.report(member)));
  const revoked = answers.filter((one) => JSON.stringify(one).includes('"revoked":1'));
  t.equal(revoked.length, 1);
  await until(() => on.reads('devicemaker') === before + 1);
  await settle('devicemaker');
  await shows(api, member, 'active');
  t.equal(on.reads('devicemaker'), before + 2);
  t.equal((await on.audit(member)).filter(({ action }) => action === 'connection.revoked').length, 1);
});

t.test(
  'an account is read three times an hour: after that a report changes nothing before a read',
  async (t) => {
    const member = await on.member('devicemaker');
    const before = on.reads('devicemaker');
    for (let round = 1; round <= 3; round += 1) {
      t.match(await on.report(member), { deregistrations: { revoked: 1 } });
      await until(() => on.reads('devicemaker') === before + round);
      await shows(api, member, 'active');
    }
    t.match(await on.report(member), {
      deregistrations: { revoked: 0, errors: [/provider is asked first/] },
    });
    t.match(await on.report(member), {
      deregistrations: { revoked: 0, errors: [/provider is asked first/] },
    });
    t.match(await on.connection(member), { status: 'active', ending: 'wanted', reads: 3 });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    t.equal(on.reads('devicemaker'), before + 3, 'the next read waits for the window');
    await api.database.query(`update users.access_check set window_start = now() - interval '61 minutes'`);
    provider.alive.delete(member.token);
    await on.hurry();
    await shows(api, member, 'revoked');
    t.match(await on.connection(member), { access_token: null, ending: null });
  },
);

t.test('a retried delivery with a contradicted ending changes nothing', async (t) => {
  const member = await on.member('devicemaker');
  await on.report(member);
  await until(async () => (await on.connection(member)).ending === 'restoring');
  const [{ id } = { id: '' }] = await api.database.query<{ id: string }>(
    'select id from deliveries.delivery order by received_at desc limit 1',
  );
  await api.expect(202, `/deliveries/${id}/replay`, { method: 'POST' });
  const answerOf = async () => {
    const rows = await api.database.query(
      `select answer from deliveries.delivery where id = $1 and state = 'done' and replayed_at is not null`,
      [id],
    );
    return JSON.stringify(rows);
  };
  await until(async () => (await answerOf()).includes('has confirmed the connection since'));
  t.equal((await on.connection(member)).status, 'active');
});
