// The login roles of the services in `npm run cluster`, each with a password of its own in DATA_DIR. The roles own nothing.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { withCredentials } from '../../domain/database-url.ts';
import { applicationLogLevel } from '../servers/postgres-settings.ts';
import { withClient } from './create-database.ts';
import { keptPassword } from './database-roles.ts';
import { grantRights } from './grant-rights.ts';
import { roleOf, serviceRights } from './service-rights.ts';

/** Who makes the roles, and for which database. */
export interface RoleChoice {
  /** The role that owns the tables. */
  readonly ownerUrl: string;
  /** A role that may make roles: the superuser of our own server, otherwise the owner. */
  readonly adminUrl: string;
  readonly dataDir: string;
}

/** Makes the roles, gives them their rights, and returns the URL of each service; null if roles may not be made. */
export async function ensureServiceRoles(choice: RoleChoice): Promise<ReadonlyMap<string, string> | null> {
  const { ownerUrl, adminUrl, dataDir } = choice;
  const folder = join(dataDir, 'database-passwords');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const roles = Object.keys(serviceRights).map((service) => ({
    service,
    role: roleOf(service),
    password: keptPassword(join(folder, service)),
  }));
  const areMade = await withClient(adminUrl, async (client) => {
    const rights = await rightsOf(client);
    if (!rights.makesRoles) return false;
    for (const { role, password } of roles) await ensureRole(client, role, password, rights.isSuperuser);
    return true;
  });
  if (!areMade) return null;
  await grantRights(ownerUrl);
  return new Map(
    roles.map(({ service, role, password }) => [service, withCredentials(ownerUrl, role, password)]),
  );
}

async function rightsOf(client: pg.Client): Promise<{ makesRoles: boolean; isSuperuser: boolean }> {
  const { rows } = await client.query<{ makesRoles: boolean; isSuperuser: boolean }>(
    `select rolcreaterole or rolsuper as "makesRoles", rolsuper as "isSuperuser" from pg_roles where rolname = current_user`,
  );
  return rows[0] ?? { makesRoles: false, isSuperuser: false };
}

async function ensureRole(
  client: pg.Client,
  role: string,
  password: string,
  isSuperuser: boolean,
): Promise<void> {
  const found = await client.query('select from pg_roles where rolname = $1', [role]);
  const verb = found.rowCount === 0 ? 'create' : 'alter';
  await client.query(`${verb} role ${role} login password '${password}'`);
  // Only a superuser may set this: failed statements are not logged, since their messages may quote values.
  if (isSuperuser) await client.query(`alter role ${role} set log_min_messages = '${applicationLogLevel}'`);
}
