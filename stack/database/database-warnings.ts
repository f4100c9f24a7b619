import { quietLog } from '../servers/postgres-settings.ts';
import { withClient } from './create-database.ts';

const select = `
  select r.rolsuper as is_superuser, current_user as name, s.name as setting, s.setting as value
  from pg_roles r, pg_settings s where r.rolname = current_user and s.name = any($1)`;

interface Row {
  readonly is_superuser: boolean;
  readonly name: string;
  readonly setting: string;
  readonly value: string;
}

const settings = ['log_error_verbosity', 'log_min_error_statement'] as const;

/** Warnings about an external server: a role with too many rights, a log that quotes rows. */
export async function databaseWarnings(url: string): Promise<string[]> {
  const { rows } = await withClient(url, (client) => client.query<Row>(select, [settings]));
  const superuser = rows.find(({ is_superuser }) => is_superuser);
  const loud = settings.filter(
    (name) => rows.find(({ setting }) => setting === name)?.value !== quietLog[name],
  );
  const wanted = loud.map((name) => `${name} = ${quietLog[name]}`).join(', ');
  return [
    ...(superuser === undefined
      ? []
      : [`DATABASE_URL: ${superuser.name} is a superuser. A role that owns the database is enough.`]),
    ...(loud.length === 0
      ? []
      : [`DATABASE_URL: the server's log may quote rows and statements. Set there: ${wanted}.`]),
  ];
}
