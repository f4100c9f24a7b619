import { ServiceError } from '../../../domain/errors.ts';
import { firstRow, type Queryable } from '../../../mixins/database/database.ts';

/** The authenticator of an account. */
interface TotpRow {
  /** Encrypted. */
  readonly secret: string;
  readonly isConfirmed: boolean;
}

/** The authenticator of an account, confirmed or not; undefined without one. */
export function selectTotp(database: Queryable, developerId: string): Promise<TotpRow | undefined> {
  const statement =
    'select secret, confirmed_at is not null as "isConfirmed" from auth.totp where developer_id = $1';
  return firstRow(database, statement, [developerId]);
}

/** The second factors of an account. One statement reads both, because each log-in waits for it. */
interface FactorsRow {
  /** The encrypted secret of the confirmed authenticator; null without one. */
  readonly secret: string | null;
  readonly hasPasskey: boolean;
}

/** What a log-in with a password needs besides. */
export async function selectFactors(database: Queryable, developerId: string): Promise<FactorsRow> {
  const statement = `
    select (select secret from auth.totp where developer_id = $1 and confirmed_at is not null) as secret,
      exists (select from auth.passkey where developer_id = $1) as "hasPasskey"`;
  const [row] = await database.query<FactorsRow>(statement, [developerId]);
  return row ?? { secret: null, hasPasskey: false };
}

/** Stores a secret that is to be confirmed; false if the account has a confirmed one. */
export async function upsertTotp(database: Queryable, developerId: string, secret: string): Promise<boolean> {
  const statement = `
    insert into auth.totp as held (developer_id, secret) values ($1, $2)
    on conflict (developer_id) do update set secret = excluded.secret, created_at = now(), last_step = null
    where held.confirmed_at is null returning developer_id`;
  return (await database.query(statement, [developerId, secret])).length === 1;
}

/** Confirms a secret with the step of its first code; false if it was confirmed or replaced meanwhile. */
export async function confirmTotp(
  database: Queryable,
  developerId: string,
  { secret, step }: { readonly secret: string; readonly step: number },
): Promise<boolean> {
  const statement = `
    update auth.totp set confirmed_at = now(), last_step = $3
    where developer_id = $1 and secret = $2 and confirmed_at is null returning developer_id`;
  return (await database.query(statement, [developerId, secret, step])).length === 1;
}

/** Accepts the code of a step; false if one of this step or a later one was accepted before. */
export async function useStep(database: Queryable, developerId: string, step: number): Promise<boolean> {
  const statement = `
    update auth.totp set last_step = $2
    where developer_id = $1 and confirmed_at is not null and (last_step is null or last_step < $2)
    returning developer_id`;
  return (await database.query(statement, [developerId, step])).length === 1;
}

/** Stores the hashes of recovery codes in place of former ones. */
export async function replaceRecoveryCodes(
  database: Queryable,
  developerId: string,
  hashes: readonly string[],
): Promise<void> {
  await database.query('delete from auth.recovery_code where developer_id = $1', [developerId]);
  const statement = 'insert into auth.recovery_code (developer_id, hash) select $1, unnest($2::text[])';
  await database.query(statement, [developerId, hashes]);
}

/** Consumes a recovery code. Of several concurrent uses only one returns true. */
export async function useRecoveryCode(
  database: Queryable,
  developerId: string,
  hash: string,
): Promise<boolean> {
  const statement = 'delete from auth.recovery_code where developer_id = $1 and hash = $2 returning hash';
  return (await database.query(statement, [developerId, hash])).length === 1;
}

/** The number of recovery codes that are left. */
export async function countRecoveryCodes(database: Queryable, developerId: string): Promise<number> {
  const statement = 'select count(*)::int as n from auth.recovery_code where developer_id = $1';
  const [row] = await database.query<{ n: number }>(statement, [developerId]);
  return row?.n ?? 0;
}

/** Removes the authenticator of an account and its recovery codes; false if there is none that is confirmed. */
export async function deleteTotp(database: Queryable, developerId: string): Promise<boolean> {
  const statement =
    'delete from auth.totp where developer_id = $1 and confirmed_at is not null returning developer_id';
  return (await database.query(statement, [developerId])).length === 1;
}

/** Notes that the developer of a session has proven a second factor in it. @throws UNAUTHENTICATED (401) if it ended meanwhile */
export async function markSession(database: Queryable, familyId: string): Promise<void> {
  const statement = 'update auth.family set second_factor = true where id = $1 returning id';
  if ((await database.query(statement, [familyId])).length === 0) throw new ServiceError('UNAUTHENTICATED');
}

/** Notes of all sessions of a developer without a factor that no second factor is proven in them. */
export async function unmarkWithoutFactor(database: Queryable, developerId: string): Promise<void> {
  const statement = `
    update auth.family set second_factor = false where developer_id = $1 and user_id is null and second_factor
    and not exists (select from auth.passkey where developer_id = $1)
    and not exists (select from auth.totp where developer_id = $1 and confirmed_at is not null)`;
  await database.query(statement, [developerId]);
}

/**
 * Locks the factors of an account until the end of the transaction, so that what a change has checked still holds when
 * it commits.
 */
export async function lockFactors(transaction: Queryable, developerId: string): Promise<void> {
  await transaction.query('select from auth.developer where id = $1 for update', [developerId]);
}

/** Whether an account has an authenticator, and the session did not prove a second factor. */
export async function lacksTotp(on: Queryable, developerId: string, session: string): Promise<boolean> {
  const statement = `
    select from auth.totp where developer_id = $1 and confirmed_at is not null
    and not exists (select from auth.family where id = $2 and second_factor)`;
  return (await on.query(statement, [developerId, session])).length === 1;
}

/** Deletes the secret of an account that is not confirmed. */
export async function deleteUnconfirmedTotp(on: Queryable, developerId: string): Promise<void> {
  await on.query('delete from auth.totp where developer_id = $1 and confirmed_at is null', [developerId]);
}

/** Secrets that a former ENCRYPTION_KEY encrypted. */
export function selectFormerTotp(
  database: Queryable,
  newest: string,
): Promise<{ readonly developer_id: string; readonly secret: string }[]> {
  const statement =
    'select developer_id, secret from auth.totp where not starts_with(secret, $1) order by 1 limit 1000';
  return database.query(statement, [newest]);
}

/** Replaces an encrypted secret, unless it has changed. */
export async function updateTotpSecret(
  database: Queryable,
  developerId: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const statement = 'update auth.totp set secret = $3 where developer_id = $1 and secret = $2';
  await database.query(statement, [developerId, from, to]);
}
