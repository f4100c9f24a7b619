import { randomUUID } from 'node:crypto';
import t from 'tap';
import { enqueue } from '../../../mixins/jobs/job-queue.ts';
import { type TokenRevocation, tokenRevocationKind } from '../../../services/users/rules/job-kinds.ts';
import { startApi } from '../../support/api.ts';
import { until } from '../../support/until.ts';
import { as, makeProject, send } from './two-projects.ts';

const api = await startApi(t, { RATE_LIMIT_DEVELOPER: '100000' });
const { database } = api;
const owner = { token: api.developerToken };
const remove = { method: 'DELETE' };

/** A project with credentials at a provider. */
async function projectWithClient(id: string) {
  await makeProject(api, id);
  const [row] = await database.query<{ id: string }>(
    `insert into users.provider_client (project_id, provider, client_id, client_secret)
     values ($1, 'withings', 'client', 'sealed') returning id`,
    [id],
  );
  return { id, path: `/projects/${id}`, client: row?.id ?? '' };
}
const secretsOf = async (project: string) => {
  const [row] = await database.query<{ n: number }>(
    'select count(client_secret)::int as n from users.provider_client where project_id = $1',
    [project],
  );
  return row?.n;
};

/** A revocation that waits for an hour. Returns its key. */
async function enqueueRevocation(provider_client_id: string | null): Promise<string> {
  const key = randomUUID();
  const payload: TokenRevocation = {
    ...{ connection_id: key, provider: 'withings' as const, provider_user_id: '1', access_token: 'sealed' },
    ...{ refresh_token: null, expires_at: null, provider_client_id, region: null },
  };
  await enqueue(database, tokenRevocationKind, { key, payload, delayMs: 3_600_000 });
  return key;
}
const endRevocation = (key: string) => database.query('delete from jobs.job where key = $1', [key]);

t.test('a project keeps its secrets until the access of its users is revoked', async (t) => {
  const [lab, other] = [await projectWithClient('lab'), await projectWithClient('other')];
  const keys = [await enqueueRevocation(lab.client), await enqueueRevocation(lab.client)];
  for (const client of [other.client, null]) await enqueueRevocation(client);
  const refused = await send(api, owner, lab.path, remove);
  t.match(refused, { status: 409, body: { detail: /is being revoked with the credentials of the project/ } });
  t.equal(await secretsOf('lab'), 1);
  t.strictSame(await database.query('select from users.closed_project'), [], 'it may get users');
  const [first = '', second = ''] = keys;
  await endRevocation(first);
  t.equal((await send(api, owner, lab.path, remove)).status, 409, 'another one waits');
  await database.query("update jobs.job set dead_at = now(), error = 'x' where key = $1", [second]);
  t.equal((await send(api, owner, lab.path, remove)).status, 200, 'a dead letter does not wait');
  t.equal(await secretsOf('lab'), 0);

  await database.query('update users.provider_client set client_secret = null where id = $1', [other.client]);
  t.equal((await send(api, owner, other.path, remove)).status, 200, 'without a secret nothing is kept');
});

const jobOf = async (project: string) => {
  const [row] = await database.query<{ attempt: number; dead: boolean }>(
    "select attempt::int, dead_at is not null as dead from jobs.job where kind = 'auth.project_deletion' and key = $1",
    [project],
  );
  return row;
};
const hurry = (project: string) =>
  database.query('update jobs.job set run_at = now() where key = $1 and not leased', [project]);

t.test('the deletion of a project with its users waits for revocations, too', async (t) => {
  const { path, client } = await projectWithClient('coach');
  const key = await enqueueRevocation(client);
  await as(api, owner, 200, `${path}?users=delete`, remove);
  await until(async () => {
    await hurry('coach');
    return ((await jobOf('coach'))?.attempt ?? 0) > 2;
  }, 'the job has looked again');
  t.match(await as(api, owner, 200, path), { users_left: 0 });
  t.equal(await secretsOf('coach'), 1);
  await endRevocation(key);
  await until(async () => {
    await hurry('coach');
    return (await send(api, owner, path)).status === 404;
  }, 'the project is deleted');
  t.equal(await secretsOf('coach'), 0);
});

const startedOf = (project: string) =>
  database.query(
    "select details from auth.audit_entry where action = 'project.deletion_started' and details ->> 'project' = $1",
    [project],
  );

t.test('a deletion that stopped is started again by the same request', async (t) => {
  const { path, client } = await projectWithClient('studio');
  const key = await enqueueRevocation(client);
  await as(api, owner, 200, `${path}?users=delete`, remove);
  await until(async () => {
    const stopped = await database.query(
      "update jobs.job set dead_at = now(), error = 'x' where key = 'studio' and not leased returning 1",
    );
    return stopped.length === 1;
  });
  await endRevocation(key);
  await as(api, owner, 200, `${path}?users=delete`, remove);
  await until(async () => (await send(api, owner, path)).status === 404, 'the project is deleted');
  t.strictSame(await startedOf('studio'), [{ details: { project: 'studio', users: 0 } }], 'it began once');
});

t.test('the trail has a deletion whose request failed after its beginning', async (t) => {
  const { path } = await projectWithClient('clinic');
  await database.query(`
    create function users.refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refused before insert on users.closed_project for each row execute function users.refuse()`);
  t.equal((await send(api, owner, `${path}?users=delete`, remove)).status, 500);
  t.match(await as(api, owner, 200, path), { deleting_since: String });
  t.strictSame(await startedOf('clinic'), [{ details: { project: 'clinic', users: 0 } }]);
  await database.query('drop function users.refuse() cascade');
  await until(async () => {
    await hurry('clinic');
    return (await send(api, owner, path)).status === 404;
  }, 'the job goes on');
});
