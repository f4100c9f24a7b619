import type pg from 'pg';
import { withClient } from './create-database.ts';
import { policiedTables, policyStatements } from './row-policies.ts';
import { jobPrivileges, roleOf, type ServiceRights, schemas, serviceRights } from './service-rights.ts';

/**
 * Gives the roles of the services exactly the rights of `serviceRights`: what they had before is taken away first, in one
 * transaction. Policies of rows follow, a transaction each table, because one that locks several tables could deadlock with
 * the services. Run after the migrations, as the role that owns the tables. Returns the services whose role does not exist.
 */
export function grantRights(ownerUrl: string): Promise<string[]> {
  return withClient(ownerUrl, async (client) => {
    const missing = await missingRoles(client);
    const found = Object.entries(serviceRights).filter(([service]) => !missing.includes(service));
    if (found.length === 0) return missing;
    await inTurn(client, () => withoutSpace);
    await inTurn(client, () => found.flatMap(([service, rights]) => grantsOf(roleOf(service), rights)));
    for (const table of Object.keys(policiedTables))
      await inTurn(client, () => policyStatements(client, table, found));
    return missing;
  });
}

// No service needs temporary tables or large objects, with which a role could fill the disk. Functions of the system belong to the
// superuser: another owner leaves them as they are.
const largeObjects = ['lo_creat(integer)', 'lo_create(oid)', 'lo_from_bytea(oid, bytea)'];
const withoutSpace = [
  "do $$ begin execute format('revoke temporary on database %I from public', current_database()); end $$",
  `do $$ begin
     revoke execute on function ${largeObjects.map((name) => `pg_catalog.${name}`).join(', ')} from public;
   exception when insufficient_privilege then null; end $$`,
];

// Two processes that grant at once would fail with "tuple concurrently updated".
async function inTurn(client: pg.Client, statements: () => string[] | Promise<string[]>): Promise<void> {
  await client.query("begin; select pg_advisory_xact_lock(hashtextextended('pulsebus rights', 0))");
  await client.query([...(await statements()), 'commit'].join(';\n'));
}

/** What an operator is to know of services without a role. All or none is usual: the services may share a role. */
export function rightsWarnings(missing: readonly string[]): string[] {
  if (missing.length === 0 || missing.length === Object.keys(serviceRights).length) return [];
  return [`there is no role ${missing.map(roleOf).join(', ')}: see docs/operating.md, "Roles".`];
}

async function missingRoles(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select rolname as name from pg_roles where rolname = any($1)',
    [Object.keys(serviceRights).map(roleOf)],
  );
  return Object.keys(serviceRights).filter((service) => !rows.some(({ name }) => name === roleOf(service)));
}

function grantsOf(role: string, rights: ServiceRights): string[] {
  const tables = { ...rights.tables, ...(rights.jobs === undefined ? {} : { 'jobs.job': jobPrivileges }) };
  const foreign = [...Object.keys(tables), ...rights.functions, ...rights.sequences];
  const entered = new Set([...rights.schemas, ...foreign.map((name) => name.split('.')[0])]);
  return [
    ...schemas.flatMap((schema) => [
      `revoke all on schema ${schema} from ${role}`,
      ...['tables', 'sequences', 'functions'].map(
        (kind) => `revoke all on all ${kind} in schema ${schema} from ${role}`,
      ),
      `revoke execute on all functions in schema ${schema} from public`,
    ]),
    ...[...entered].map((schema) => `grant usage on schema ${schema} to ${role}`),
    ...rights.schemas.flatMap((schema) => [
      // MAINTAIN is for vacuum, analyze and lock.
      `grant select, insert, update, delete, maintain on all tables in schema ${schema} to ${role}`,
      `grant usage on all sequences in schema ${schema} to ${role}`,
      `grant execute on all functions in schema ${schema} to ${role}`,
    ]),
    ...Object.entries(tables).map(([table, privileges]) => `grant ${privileges} on ${table} to ${role}`),
    ...rights.functions.map((name) => `grant execute on function ${name} to ${role}`),
    ...rights.sequences.map((name) => `grant usage on sequence ${name} to ${role}`),
  ];
}
