import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import { serviceNames } from '../../stack/processes/services.ts';
import {
  as,
  fillProject,
  makeProject,
  pushWorkout,
  send,
  withWorkout,
} from '../http/projects/two-projects.ts';
import { joinApi } from '../support/api.ts';
import { testSettings } from '../support/servers/broker.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';
import { ownTracesOf } from '../support/traces.ts';
import { until } from '../support/until.ts';

const settings = {
  RATE_LIMIT_API_KEY: '100000',
  RATE_LIMIT_ADDRESS: '100000',
  RATE_LIMIT_DEVELOPER: '100000',
};
const database = await freshDatabase(t);
const bus = { natsUrl: natsUrl(), namespace: `deletion-${randomUUID()}` };

/** The service whose job deletes projects, in a process of its own. */
function startAuth() {
  const environment = testSettings({ databaseUrl: database.url, natsUrl: bus.natsUrl, settings });
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../stack/processes/process.ts')], {
    env: {
      ...environment,
      ...{ NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, NAMESPACE: bus.namespace, SERVICES: 'auth' },
    },
    stdio: 'ignore',
  });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

const first = startAuth();
const services = serviceNames.filter((name) => name !== 'auth');
const api = await joinApi(t, { database, settings, services, ...bus });
const owner = { token: api.developerToken };
const project = 'leaving-project';
const path = `/projects/${project}`;
const inProject = { headers: { 'X-Project': project } };
const State = z.object({ deleting_since: z.string().nullable(), users_left: z.int().nullable() });
const extraUsers = 60;

async function leftOf(): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    'select count(*)::int as n from users.person where project_id = $1 and deleted_at is null',
    [project],
  );
  return row?.n ?? 0;
}

/** Jobs that wait run at once, and the pause before raw deliveries are erased ends. */
async function hurry(): Promise<void> {
  await database.query("update deliveries.delivery set done_at = done_at - interval '1 minute'");
  await database.query('update deliveries.erasure set run_at = now() where run_at > now()');
  await database.query('update jobs.job set run_at = now() where run_at > now() and not leased');
}

t.test('a project is deleted with its users, though a process is killed meanwhile', async (t) => {
  for (const name of [project, 'staying-project']) await makeProject(api, name);
  const leaving = await fillProject(api, project);
  const staying = await fillProject(api, 'staying-project');
  await pushWorkout(api);
  await until(async () => (await database.query('select from timeseries.workout')).length === 2);
  await withWorkout(api, leaving);
  await as(api, owner, 200, '/retention', { method: 'PATCH', body: { events_days: 900 }, ...inProject });
  await as(api, owner, 201, '/invitations', {
    body: { email: 'a@example.com', role: 'admin' },
    ...inProject,
  });
  const admin = { token: leaving.adminToken };
  const token = await as(api, admin, 200, `/users/${leaving.userId}/token`, { method: 'POST' });
  const { access_token } = z.object({ access_token: z.string() }).parse(token);
  for (let n = 0; n < extraUsers; n += 1) await as(api, owner, 201, '/users', { body: {}, ...inProject });
  const ids = await database.query<{ id: string }>('select id from users.person where project_id = $1', [
    project,
  ]);
  t.match(await as(api, owner, 409, path, { method: 'DELETE' }), { detail: /still has users/ });
  t.match(await as(api, owner, 200, path), { deleting_since: null, users_left: null });

  const began = await as(api, owner, 200, `${path}?users=delete`, { method: 'DELETE' });
  t.type(State.partial().parse(began).deleting_since, 'string');
  const refused = [
    [401, { key: leaving.key }, '/users'],
    [401, { token: access_token }, `/users/${leaving.userId}`],
    [404, owner, '/users'],
  ] as const;
  for (const [status, credential, asked] of refused)
    t.equal((await send(api, { ...credential, ...inProject }, asked)).status, status, `${asked}: ${status}`);
  t.equal((await send(api, admin, '/users')).status, 422, 'its member is in no project');
  t.equal((await send(api, owner, '/users', { body: {}, ...inProject })).status, 404, 'it gets no users');

  await until(async () => (await leftOf()) < extraUsers - 10, 'some users are deleted');
  t.ok((State.parse(await as(api, owner, 200, path)).users_left ?? 0) > 0, 'its state has the users left');
  first.kill('SIGKILL');
  await once(first, 'exit');
  t.ok((await leftOf()) > 0, 'some are left');
  startAuth();
  await database.query("update jobs.job set run_at = now() where kind = 'auth.project_deletion'");
  await until(async () => {
    await hurry();
    return (await send(api, owner, path)).status === 404;
  }, 'the project is deleted');

  const entries = await database.query<{ action: string; details: unknown }>(
    `select action, details from auth.audit_entry where action in ('project.deletion_started', 'project.deleted') order by id`,
  );
  const users = extraUsers + 1;
  t.strictSame(entries, [
    { action: 'project.deletion_started', details: { project, users } },
    {
      action: 'project.deleted',
      details: { project, users, api_keys: 1, applications: 1, members: 1, endpoints: 1 },
    },
  ]);
  const erased = await database.query(
    "select distinct user_id from auth.audit_entry where action = 'user.erased' and project_id = $1",
    [project],
  );
  t.equal(erased.length, users, 'each user has the proof of the erasure');

  const left = "select from jobs.job where kind ~ 'erasure|project|message' and dead_at is null";
  await until(async () => {
    await hurry();
    return (await database.query(left)).length === 0;
  }, 'all jobs are done');
  const values = [project, leaving.keyId, leaving.appId, leaving.endpointId, ...ids.map(({ id }) => id)];
  const places = new Set((await ownTracesOf(database, values)).map((trace) => trace.replace(/: .*$/, '')));
  t.strictSame(
    [...places].filter((place) => !kept.includes(place) && !place.startsWith('pg_catalog')),
    [],
  );
  await as(api, { key: staying.key }, 200, `/users/${staying.userId}`);
  await withWorkout(api, staying);
  t.equal((await send(api, owner, '/projects', { body: { id: project, name: 'x' } })).status, 409);
});

/**
 * The trail, the marks of erased users and projects, the change that reports a deletion until it expires, the window of a
 * key for two minutes, and deliveries of an account that a user of another project has too.
 */
const kept = [
  'auth.audit_entry.actor',
  'auth.audit_entry.details',
  'auth.audit_entry.project_id',
  'auth.audit_entry.subject_id',
  'auth.audit_entry.subject_name',
  'auth.audit_entry.user_id',
  'auth.former_project.id',
  'auth.rate_window.subject',
  'changes.change.project_id',
  'changes.change.user_id',
  'changes.pending.user_id',
  'changes.user_sequence.user_id',
  'deliveries.delivery.answer',
  'timeseries.tombstone.user_id',
  'users.closed_project.project_id',
  'users.list_total.project_id',
  'users.person.id',
  'users.person.project_id',
];
