import { createHash } from 'node:crypto';
import type pg from 'pg';
import { type ProviderName, providerNames, providers } from '../../providers/all.ts';
import { roleOf, type ServiceRights } from './service-rights.ts';

/*
 * Row security of the tables that several services share. Without it the role of any service could enqueue the erasure of a
 * user, or read the tokens that are to be revoked, and that of an ingest service the deliveries of all providers. The owner
 * of a table sees all rows.
 */

interface Found {
  readonly name: string;
  readonly role: string;
}

interface Policy extends Found {
  readonly command: Command;
  /** The condition on the rows. */
  readonly rows: string;
}

type Command = 'all' | 'select' | 'update' | 'delete';
type Services = readonly (readonly [string, ServiceRights])[];
type Policies = (service: string, rights: ServiceRights, table: string) => readonly Policy[];

const ofSeenDelivery = 'exists (select from deliveries.delivery d where d.id = delivery_id)';

/** The tables with row security. */
export const policiedTables: Readonly<Record<string, Policies>> = {
  'jobs.job': jobPolicies,
  'deliveries.delivery': deliveryPolicies((ingested) => `provider = any ('{${ingested}}')`),
  // A delivery has few rows of these.
  'deliveries.progress': deliveryPolicies(() => ofSeenDelivery),
  'deliveries.sealed_body': deliveryPolicies(() => ofSeenDelivery),
};

function jobPolicies(service: string, { jobs, operatesJobs }: ServiceRights): Policy[] {
  if (jobs === undefined) return [];
  const own = policy(service, 'all', `starts_with(kind, '${jobs}.')`);
  const all = (['select', 'update', 'delete'] as const).map((command) => policy(service, command, 'true'));
  return operatesJobs ? [own, ...all] : [own];
}

function deliveryPolicies(rowsOf: (ingested: readonly ProviderName[]) => string): Policies {
  return (service, { schemas, tables, seesAllDeliveries }, table) => {
    if (tables[table] === undefined && !schemas.includes('deliveries')) return [];
    const ingested = providerNames.filter((name) => providers[name].ingest.service === service);
    return [policy(service, 'all', seesAllDeliveries ? 'true' : rowsOf(ingested))];
  };
}

// The condition is in the name, because PostgreSQL returns it in other words.
function policy(service: string, command: Command, rows: string): Policy {
  const hash = createHash('sha256').update(rows).digest('hex').slice(0, 12);
  return { name: `${service}: ${command} ${hash}`, role: roleOf(service), command, rows };
}

/**
 * The statements that leave each role only its rows of a table. None if all is as it should be: a statement locks the table
 * until the end of its transaction.
 */
export async function policyStatements(
  client: pg.Client,
  table: string,
  services: Services,
): Promise<string[]> {
  const wanted = services.flatMap(
    ([service, rights]) => policiedTables[table]?.(service, rights, table) ?? [],
  );
  const { rows } = await client.query<Found>(
    `select policyname as name, array_to_string(roles, ',') as role from pg_policies
     where format('%I.%I', schemaname, tablename) = $1`,
    [table],
  );
  const { rowCount } = await client.query(
    'select from pg_class where oid = $1::regclass and relrowsecurity',
    [table],
  );
  return [
    ...without(rows, wanted).map(({ name }) => `drop policy "${name}" on ${table}`),
    ...without(wanted, rows).map(
      ({ name, role, command, rows }) =>
        `create policy "${name}" on ${table} for ${command} to ${role} using (${rows})`,
    ),
    ...(rowCount === 0 ? [`alter table ${table} enable row level security`] : []),
  ];
}

function without<T extends Found>(list: readonly T[], others: readonly Found[]): T[] {
  return list.filter((one) => !others.some(({ name, role }) => name === one.name && role === one.role));
}
