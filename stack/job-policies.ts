import type pg from 'pg';
import { roleOf, type ServiceRights } from './service-rights.ts';

/*
 * Row security of jobs.job, the one table that all services write. Without it the role of any service could enqueue the
 * erasure of a user, or read the tokens that are to be revoked. The owner of the table sees all rows.
 */

interface Found {
  readonly name: string;
  readonly role: string;
}

interface Policy extends Found {
  readonly command: 'all' | 'select' | 'update' | 'delete';
  /** The condition on the rows. */
  readonly rows: string;
}

/**
 * The statements that leave each role only the jobs of its own kinds. None if all is as it should be: a statement
 * locks the table until the end of its transaction.
 */
export async function jobPolicies(
  client: pg.Client,
  services: readonly (readonly [string, ServiceRights])[],
): Promise<string[]> {
  const wanted = services.flatMap(([service, rights]) => policiesOf(roleOf(service), rights));
  const { rows } = await client.query<Found>(
    `select policyname as name, array_to_string(roles, ',') as role from pg_policies
     where schemaname = 'jobs' and tablename = 'job'`,
  );
  const { rowCount } = await client.query(
    "select from pg_class where oid = 'jobs.job'::regclass and relrowsecurity",
  );
  return [
    ...without(rows, wanted).map(({ name }) => `drop policy "${name}" on jobs.job`),
    ...without(wanted, rows).map(
      ({ name, role, command, rows }) =>
        `create policy "${name}" on jobs.job for ${command} to ${role} using (${rows})`,
    ),
    ...(rowCount === 0 ? ['alter table jobs.job enable row level security'] : []),
  ];
}

// The name contains the kinds, so that a policy of other kinds has another name.
function policiesOf(role: string, { jobs, operatesJobs }: ServiceRights): Policy[] {
  if (jobs === undefined) return [];
  const own: Policy = { name: `${jobs}: own`, role, command: 'all', rows: `starts_with(kind, '${jobs}.')` };
  const others = (['select', 'update', 'delete'] as const).map(
    (command): Policy => ({ name: `${jobs}: ${command} all`, role, command, rows: 'true' }),
  );
  return operatesJobs ? [own, ...others] : [own];
}

function without<T extends Found>(list: readonly T[], others: readonly Found[]): T[] {
  return list.filter((one) => !others.some(({ name, role }) => name === one.name && role === one.role));
}
