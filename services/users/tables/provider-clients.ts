import type { StoredClient } from '../../../contracts/users.ts';
import { firstRow, type Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** The current credentials of a project at a provider. */
export interface ClientRow {
  readonly id: string;
  readonly provider: ProviderName;
  readonly client_id: string;
  readonly updated_at: Date;
}

/** The place of credentials: a project has at most one client at a provider. */
export interface ClientPlace {
  readonly project_id: string;
  readonly provider: ProviderName;
}

/** Serialises the changes of the credentials of a project at a provider until the transaction ends. */
export async function lockClients(
  transaction: Queryable,
  { project_id, provider }: ClientPlace,
): Promise<void> {
  const lock = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';
  await transaction.query(lock, [`provider_client ${project_id} ${provider}`]);
}

/** The id of a client that the project has or had. */
export async function findClientId(
  database: Queryable,
  { project_id, provider }: ClientPlace,
  clientId: string,
): Promise<string | null> {
  const statement =
    'select id from users.provider_client where project_id = $1 and provider = $2 and client_id = $3';
  const [row] = await database.query<{ id: string }>(statement, [project_id, provider, clientId]);
  return row?.id ?? null;
}

/** Stores credentials; null if the project is closed. */
export async function upsertClient(
  transaction: Queryable,
  { project_id, provider }: ClientPlace,
  {
    id,
    client_id,
    client_secret,
  }: { readonly id: string; readonly client_id: string; readonly client_secret: string },
): Promise<ClientRow | null> {
  const statement = `
    insert into users.provider_client (id, project_id, provider, client_id, client_secret)
    select $1, $2, $3, $4, $5 where users.is_open($2)
    on conflict (id) do update set client_secret = excluded.client_secret, updated_at = now()
    returning id, provider, client_id, updated_at`;
  const values = [id, project_id, provider, client_id, client_secret];
  return (await firstRow<ClientRow>(transaction, statement, values)) ?? null;
}

/** Erases the secret of a project at a provider, except that of one client. Returns what was erased. */
export function eraseSecret(
  transaction: Queryable,
  { project_id, provider }: ClientPlace,
  kept: string | null = null,
): Promise<ClientRow[]> {
  const statement = `
    update users.provider_client set client_secret = null, updated_at = now()
    where project_id = $1 and provider = $2 and client_secret is not null and id is distinct from $3
    returning id, provider, client_id, updated_at`;
  return transaction.query<ClientRow>(statement, [project_id, provider, kept]);
}

/** Erases all secrets of a project. */
export async function eraseSecretsOf(transaction: Queryable, project: string): Promise<void> {
  const statement = `
    update users.provider_client set client_secret = null, updated_at = now()
    where project_id = $1 and client_secret is not null`;
  await transaction.query(statement, [project]);
}

/** The current credentials of a project. */
export function selectClients(database: Queryable, project: string): Promise<ClientRow[]> {
  const statement = `
    select id, provider, client_id, updated_at from users.provider_client
    where project_id = $1 and client_secret is not null order by provider`;
  return database.query<ClientRow>(statement, [project]);
}

const ofUser = `
  from users.person p join users.provider_client k on k.project_id = p.project_id and k.client_secret is not null
  where p.id = $1`;

/** The providers at which the project of a user has credentials. */
export async function selectOwnProviders(database: Queryable, userId: string): Promise<ProviderName[]> {
  const rows = await database.query<ClientRow>(`select k.provider ${ofUser} order by k.provider`, [userId]);
  return rows.map(({ provider }) => provider);
}

const columns = 'k.id, k.client_id, k.client_secret';

/** The credentials of the project of a user at a provider. */
export async function selectClientOfUser(
  database: Queryable,
  userId: string,
  provider: ProviderName,
): Promise<StoredClient | null> {
  const statement = `select ${columns} ${ofUser} and k.provider = $2`;
  return (await firstRow<StoredClient>(database, statement, [userId, provider])) ?? null;
}

/** Credentials by their id, also removed ones. */
export async function selectClient(database: Queryable, id: string): Promise<StoredClient | null> {
  const statement = `select ${columns} from users.provider_client k where k.id = $1`;
  return (await firstRow<StoredClient>(database, statement, [id])) ?? null;
}

/** Credentials whose secret another key than the newest encrypted. */
export function selectFormerSecrets(
  database: Queryable,
  newest: string,
): Promise<{ readonly id: string; readonly client_secret: string }[]> {
  const statement = `
    select id, client_secret from users.provider_client
    where client_secret is not null and not starts_with(client_secret, $1) order by id limit 1000`;
  return database.query(statement, [newest]);
}

/** Replaces the ciphertext of a secret unless it has changed. */
export async function replaceSecret(
  database: Queryable,
  id: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<boolean> {
  const statement =
    'update users.provider_client set client_secret = $3 where id = $1 and client_secret = $2 returning 1';
  return (await database.query(statement, [id, from, to])).length > 0;
}
