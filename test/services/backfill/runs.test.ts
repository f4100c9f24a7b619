import { randomUUID } from 'node:crypto';
import t from 'tap';
import { loadConfig } from '../../../config.ts';
import { claimRuns, endRun, insertRun } from '../../../services/backfill/tables/runs.ts';
import { beginStep, selectMatchingStep } from '../../../services/backfill/tables/steps.ts';
import { ask, runJobs, runPace, settle } from '../../../services/backfill/work/steps.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 2, 1);
const range = { startMs, endMs: startMs + 2 * dayMs };
const connectedAt = '2026-01-01T00:00:00.000Z';

t.afterEach(() => database.query('delete from backfill.run'));

/** A run of two days of one type, and its first step as begun by its holder. */
async function begun() {
  const connectionId = randomUUID();
  const steps = [1, 0].map((day) => ({
    ...{ type: 'dailies', startMs: startMs + day * dayMs, endMs: startMs + (day + 1) * dayMs },
  }));
  const of = { connectionId, connectedAt, userId: randomUUID(), provider: 'devicemaker' } as const;
  await insertRun(database, { ...of, range, steps });
  const [run] = await claimRuns(database, ['devicemaker'], 1, 60_000);
  const step = run === undefined ? 'waits' : await beginStep(database, run.id);
  if (run === undefined || typeof step === 'string') throw new Error('no step');
  return { connectionId, run, step };
}

const statesOf = async (runId: string) => {
  const statement = 'select state from backfill.step where run_id = $1 order by position';
  return (await database.query<{ state: string }>(statement, [runId])).map(({ state }) => state);
};

t.test('the end of a run concerns its own requests only', async (t) => {
  const [one, other] = [await begun(), await begun()];
  await endRun(database, one.connectionId, 'stopped', 'CONNECTION_GONE');
  t.same(await statesOf(one.run.id), ['skipped', 'skipped']);
  t.same(await statesOf(other.run.id), ['requested', 'waiting']);
});

t.test('a wait that the provider asks for lengthens the back-off only, and is no attempt', async (t) => {
  t.intercept(Math, 'random', { value: () => 0.5 });
  const cases = [
    [{ kind: 'retry', atLeastMs: 1000 }, 8, 128_000, 8],
    [{ kind: 'retry', atLeastMs: 600_000 }, 8, 600_000, 8],
    [{ kind: 'wait', ms: 1000 }, 1, 1000, 0],
  ] as const;
  for (const [verdict, attempts, waitMs, counted] of cases) {
    const { run, step } = await begun();
    await database.query('update backfill.step set attempts = $2 where run_id = $1 and position = 1', [
      run.id,
      attempts,
    ]);
    t.ok(await settle(database, run, { ...step, attempts }, verdict, 0));
    const [row] = await database.query<{ ms: number; attempts: number }>(
      `select extract(epoch from run_at - now())::float8 * 1000 as ms, s.attempts
       from backfill.run r join backfill.step s on s.run_id = r.id and s.position = 1 where r.id = $1`,
      [run.id],
    );
    t.ok(row !== undefined && row.ms <= waitMs && row.ms > waitMs - 60_000 && row.ms > 0, String(row?.ms));
    t.equal(row?.attempts, counted);
    await database.query('delete from backfill.run');
  }
});

t.test(
  'items belong to the request that is pending, also within the tolerance of an answered one',
  async (t) => {
    const { run } = await begun();
    await database.query(
      `update backfill.step set attempts = 1, state = case position when 1 then 'received' else 'requested' end
     where run_id = $1`,
      [run.id],
    );
    const at = startMs + 1.5 * dayMs;
    const received = { type: 'dailies', first_start_ms: at, last_start_ms: at };
    t.match(await selectMatchingStep(database, run.id, received as never), { position: 2, is_open: true });
  },
);

t.test('a request is of the account that the backfill began with, and a refused token ends it', async (t) => {
  const { run, step } = await begun();
  const [asked, expired]: string[][] = [[], []];
  const asking = (connected_at: string) => ({
    config: loadConfig({}),
    signal: new AbortController().signal,
    api: {
      async request({ token = '' }: { readonly token?: string }) {
        asked?.push(token);
        return { status: 401, headers: new Headers(), text: '', tries: 1 };
      },
    },
    tokens: {
      bearer: async (_: unknown, { refused = 0 } = {}) => ({
        ...{ kind: 'token' as const, token: `token ${refused + 1}`, version: refused + 1 },
        ...{ connection_id: run.connection_id, connected_at },
      }),
      worked: async () => {},
      expire: async ({ token }: { readonly token: string }) => void expired?.push(token),
    },
  });
  const replaced = asking('2026-02-01T00:00:00.000Z');
  t.same(await ask(replaced, run, step), { kind: 'stop', reason: 'CONNECTION_REPLACED' });
  t.same(asked, []);
  t.same(await ask(asking(connectedAt), run, step), { kind: 'stop', reason: 'TOKEN_REFUSED' });
  t.same([asked, expired], [['token 1', 'token 2'], ['token 2']]);
});

t.test('the data of a request is waited for as many seconds as BACKFILL_WAIT_SECONDS says', async (t) => {
  const { run, step } = await begun();
  await database.query("update backfill.step set state = 'waiting' where run_id = $1", [run.id]);
  const bearer = {
    kind: 'token',
    token: 'a',
    version: 1,
    connection_id: '',
    connected_at: connectedAt,
  } as const;
  const deps = {
    ...{ database, config: loadConfig({ BACKFILL_WAIT_SECONDS: '600' }), logger: { info: () => {} } },
    api: { request: async () => ({ status: 202, headers: new Headers(), text: '', tries: 1 }) },
    tokens: { bearer: async () => bearer, worked: async () => {}, expire: async () => {} },
  };
  const held = { signal: new AbortController().signal, holds: async () => true, isStopping: () => false };
  t.equal(await runJobs(deps as never, runPace).work(run, held), 'accepted');
  const deadline = `select extract(epoch from deadline - requested_at)::float8 as seconds from backfill.step
    where run_id = $1 and position = $2`;
  const [row] = await database.query<{ seconds: number }>(deadline, [run.id, step.position]);
  t.ok(row !== undefined && row.seconds >= 600 && row.seconds < 660, String(row?.seconds));
});
