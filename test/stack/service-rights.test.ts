import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import t from 'tap';
import { providerNamed, providerNames, providers } from '../../providers/all.ts';
import { withClient } from '../../stack/database/create-database.ts';
import { grantRights } from '../../stack/database/grant-rights.ts';
import { policiedTables } from '../../stack/database/row-policies.ts';
import { jobPrivileges, roleOf, schemas, serviceRights } from '../../stack/database/service-rights.ts';
import { ensureServiceRoles } from '../../stack/database/service-roles.ts';
import { serviceNames } from '../../stack/processes/services.ts';
import { freshDatabase } from '../support/servers/database.ts';

const root = resolve(import.meta.dirname, '../..');
const database = await freshDatabase(t);
const urls = await ensureServiceRoles({
  ownerUrl: database.url,
  adminUrl: database.url,
  dataDir: t.testdir(),
});
if (urls === null) throw new Error('the role of the tests may not make roles');

interface Table {
  readonly name: string;
  readonly schema: string;
}
const tables = await database.query<Table>(
  `select format('%I.%I', schemaname, tablename) as name, schemaname as schema from pg_tables
   where schemaname = any($1) or schemaname = 'public' order by 1`,
  [schemas],
);

const verbs = ['select', 'insert', 'update', 'delete'] as const;
type Verb = (typeof verbs)[number];

/** The privileges on a table that a service is to have, at least on some columns. */
function wanted(service: string, { name, schema }: Table): readonly Verb[] {
  const rights = serviceRights[service];
  if (rights?.schemas.includes(schema)) return verbs;
  const privileges = name === 'jobs.job' && rights?.jobs !== undefined ? jobPrivileges : rights?.tables[name];
  const listed = privileges?.replaceAll(/\(.*?\)/g, '').split(/,\s*/) ?? [];
  return verbs.filter((verb) => listed.some((one) => one.trim() === verb));
}

t.test('no role can fill the disk with temporary tables', async (t) => {
  for (const [service, url] of urls)
    await withClient(url, async (client) => {
      await t.rejects(client.query('create temporary table filler (a int)'), /permission denied/, service);
    });
});

t.test('each role reads its own tables and those that are shared with it, and no others', async (t) => {
  // Tried, not asked for: a statement that no row matches, as the role itself.
  const tried = `
    select name, (select array_agg(verb order by n) from unnest($1::text[]) with ordinality v (verb, n)
      where has_any_column_privilege(name, verb) or (verb = 'delete' and has_table_privilege(name, verb))) as verbs
    from unnest($2::text[]) name where has_schema_privilege(split_part(name, '.', 1), 'usage')`;
  const unexpected: string[] = [];
  for (const [service, url] of urls)
    await withClient(url, async (client) => {
      const { rows } = await client.query<{ name: string; verbs: Verb[] | null }>(
        tried.replace(
          'has_any_column_privilege(name, verb)',
          "(verb <> 'delete' and has_any_column_privilege(name, verb))",
        ),
        [verbs, tables.map(({ name }) => name)],
      );
      for (const table of tables) {
        const found = rows.find(({ name }) => name === table.name)?.verbs ?? [];
        const should = wanted(service, table);
        if (String(found) !== String(should))
          unexpected.push(`${service} ${table.name}: ${found} instead of ${should}`);
        const isRead = await client.query(`select from ${table.name} limit 0`).then(
          () => true,
          (error: { code?: string }) => (error.code === '42501' ? false : Promise.reject(error)),
        );
        if (isRead !== should.includes('select')) unexpected.push(`${service} ${table.name}: read ${isRead}`);
      }
    });
  t.ok(tables.length > 70 && urls.size > 10);
  t.strictSame(unexpected, []);
});

t.test('no role of a service owns, makes or changes anything but rows', async (t) => {
  const offenders = await database.query(
    `select r.rolname from pg_roles r where r.rolname = any($1) and (
       rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls
       or has_database_privilege(r.oid, current_database(), 'create')
       or exists (select from pg_namespace n where has_schema_privilege(r.oid, n.oid, 'create') and n.nspname not like 'pg_temp%')
       or exists (select from pg_class c where c.relowner = r.oid)
       or exists (select from pg_auth_members m where m.member = r.oid))`,
    [[...urls.keys()].map(roleOf)],
  );
  t.strictSame(offenders, []);
});

t.test('rights that were given by hand are taken back by the next migration', async (t) => {
  await database.query('grant select on users.person to pulsebus_connect');
  await Promise.all([grantRights(database.url), grantRights(database.url)]);
  const [row] = await database.query(
    "select has_table_privilege('pulsebus_connect', 'users.person', 'select') as has",
  );
  t.strictSame(row, { has: false });
});

const erasure = "insert into jobs.job (kind, key, run_at) values ('users.erasure', 'x', 'infinity')";

t.test('a role sees and writes only the jobs of its own kinds', async (t) => {
  await database.query(erasure);
  t.teardown(() => database.query("delete from jobs.job where run_at = 'infinity'"));
  for (const [service, url] of urls)
    await withClient(url, async (client) => {
      const { jobs, operatesJobs = false } = serviceRights[service] ?? {};
      if (jobs === undefined) return;
      const sees = service === 'users' || operatesJobs;
      const count = async (statement: string) => (await client.query(statement)).rowCount;
      const code = (statement: string) =>
        client.query(statement).then(
          () => 'none',
          ({ code }) => code,
        );
      const isErasure = "where kind = 'users.erasure'";
      await client.query('begin');
      t.equal(await count(`select from jobs.job ${isErasure}`), Number(sees), `${service} reads`);
      t.equal(await count(`update jobs.job set lane = 1 ${isErasure}`), Number(sees), `${service} changes`);
      t.equal(await count(`delete from jobs.job ${isErasure}`), Number(sees), `${service} deletes`);
      t.equal(await count(erasure.replace('users.erasure', `${jobs}.x`)), 1, `${service} enqueues its own`);
      await client.query('rollback');
      const expected = service === 'users' ? 'none' : '42501';
      t.equal(await code(erasure.replace("'x'", "'y'")), expected, `${service} enqueues an erasure`);
      t.equal(await code(`update jobs.job set kind = 'users.purge'`), '42501', `${service} renames`);
    });
});

t.test('the jobs of a service have the kinds that its role may see', (t) => {
  const kinds = serviceNames.flatMap((service) =>
    filesOf(service).flatMap((text) =>
      /mixins\/jobs\/job(s|-queue)\.ts'/.test(text)
        ? [...text.matchAll(/name: '([a-z-]+)\.[a-z_]+'/g)].map(([, kind]) => [service, kind] as const)
        : [],
    ),
  );
  t.ok(kinds.length > 30);
  t.strictSame(
    kinds.filter(([service, kind]) => serviceRights[service]?.jobs !== kind),
    [],
  );
  t.end();
});

t.test('a role sees and writes only the deliveries of the providers that its service ingests', async (t) => {
  const stored = await database.query<{ id: string; provider: string }>(
    `insert into deliveries.delivery (provider, kind, headers, body) select name, 'x', '{}', 'x' from unnest($1::text[]) name
     returning id, provider`,
    [providerNames],
  );
  const ids = stored.map(({ id }) => id);
  t.teardown(() => database.query('delete from deliveries.delivery where id = any($1)', [ids]));
  for (const text of [
    `insert into deliveries.progress (delivery_id, entry) select unnest($1::uuid[]), 'x'`,
    `insert into deliveries.sealed_body select id, 'x', 'x', 'x', 1 from unnest($1::uuid[]) id`,
  ])
    await database.query(text, [ids]);
  const operating = ['api-gateway', 'deliveries'];
  let ingesting = 0;
  for (const [service, url] of urls)
    await withClient(url, async (client) => {
      const own = providerNames.filter((name) => providers[name].ingest.service === service);
      if (own.length > 0) ingesting += 1;
      const sees = operating.includes(service) ? providerNames : own;
      const may = (table: string, verb: Verb) =>
        wanted(service, { name: `deliveries.${table}`, schema: 'deliveries' }).includes(verb);
      await client.query('begin');
      for (const table of ['delivery', 'progress', 'sealed_body']) {
        if (!may(table, 'select') || service === 'api-gateway') continue;
        const column = table === 'delivery' ? 'id' : 'delivery_id';
        const found = await client.query(`select from deliveries.${table} where ${column} = any($1)`, [ids]);
        t.equal(found.rowCount, sees.length, `${service} reads ${table}`);
      }
      for (const { id, provider } of stored) {
        const isSeen = sees.includes(providerNamed(provider));
        if (may('delivery', 'update')) {
          const changed = await client.query("update deliveries.delivery set error = 'x' where id = $1", [
            id,
          ]);
          t.equal(changed.rowCount, Number(isSeen), `${service} changes one of ${provider}`);
        }
        if (!may('progress', 'insert')) continue;
        await client.query('savepoint one');
        const code = await client
          .query(`insert into deliveries.progress (delivery_id, entry) values ($1, 'y')`, [id])
          .then(
            () => 'none',
            ({ code }) => code,
          );
        t.equal(code, isSeen ? 'none' : '42501', `${service} notes progress of ${provider}`);
        await client.query('rollback to one');
      }
      await client.query('rollback');
    });
  t.equal(ingesting, new Set(providerNames.map((name) => providers[name].ingest.service)).size);
});

t.test('policies that were made by hand are dropped, and the others are left as they are', async (t) => {
  const policies = () =>
    database.query('select oid, polrelid::regclass::text, polname from pg_policy order by 1');
  const before = await policies();
  for (const table of Object.keys(policiedTables))
    await database.query(`create policy more on ${table} to pulsebus_connect using (true)`);
  await grantRights(database.url);
  t.strictSame(await policies(), before);
});

function filesOf(service: string): string[] {
  const folder = join(root, 'services', service);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(folder, path), 'utf8'));
}

/** All files of a service, and those of other folders that they import. */
function sourcesOf(service: string): string[] {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, path = ''] of readFileSync(join(root, file), 'utf8').matchAll(
      /(?<!type )(?:\{[^}]*\}|\w+) from '(\.{1,2}\/[^']+\.ts)'/g,
    ))
      visit(relative(root, resolve(root, dirname(file), path)));
  };
  visit(`services/${service}/${service}.service.ts`);
  // These hold statements of several services, and the gateway's: the flow over all processes uses them.
  const isMixed = (file: string) => /^mixins\/inbox\/(inbox|sealed-bodies)/.test(file);
  return [...seen].filter((file) => /^(services|mixins)\//.test(file) && !isMixed(file));
}

const verbOf: Readonly<Record<string, Verb>> = {
  from: 'select',
  join: 'select',
  into: 'insert',
  update: 'update',
  'delete from': 'delete',
};
const named = new RegExp(
  String.raw`\b(delete from|from|join|into|update)\s+((?:${schemas.join('|')})\.[a-z_]+)`,
  'g',
);

t.test('each role may do what the SQL of its service does', async (t) => {
  const missing = new Set<string>();
  let statements = 0;
  for (const service of serviceNames)
    for (const file of sourcesOf(service))
      for (const [, word = '', name = ''] of readFileSync(join(root, file), 'utf8').matchAll(named)) {
        const table = tables.find((one) => one.name === name);
        const verb = verbOf[word];
        if (table === undefined || verb === undefined) continue;
        statements += 1;
        if (!wanted(service, table).includes(verb)) missing.add(`${service}: ${verb} ${name} (${file})`);
      }
  t.ok(statements > 400);
  t.strictSame([...missing].sort(), []);
});

t.test('what fires for all services runs with the rights of the owner', async (t) => {
  const invokers = await database.query(
    `select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname in ('changes', 'jobs') and p.prorettype = 'trigger'::regtype
       and not (p.prosecdef and p.proconfig::text like '%search_path=%')`,
  );
  t.strictSame(invokers, []);
});
