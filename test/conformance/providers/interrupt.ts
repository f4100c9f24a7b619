import type { Product } from '../product.ts';

const end = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`;

/** Ends all connections of the product to its database, as a restart of the server does. Returns their number. */
export async function interrupt({ api }: Product): Promise<number> {
  return (await api.database.query(end)).length;
}
