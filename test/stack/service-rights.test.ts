import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import t from 'tap';
import { withClient } from '../../stack/create-database.ts';
import { grantRights } from '../../stack/grant-rights.ts';
import { roleOf, schemas, serviceRights } from '../../stack/service-rights.ts';
import { ensureServiceRoles } from '../../stack/service-roles.ts';
import { serviceNames } from '../../stack/services.ts';
import { freshDatabase } from '../support/database.ts';

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
  const listed = rights?.tables[name]?.replaceAll(/\(.*?\)/g, '').split(/,\s*/) ?? [];
  return verbs.filter((verb) => listed.some((one) => one.trim() === verb));
}

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
  const isMixed = (file: string) => /^mixins\/(inbox|sealed-bodies)/.test(file);
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
