import { firstRow, type Queryable } from '../../../mixins/database/database.ts';

/** A passkey as its developer sees it. */
export interface PasskeyRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

/** A passkey as a device sees it, and as its answers are checked. */
export interface Credential {
  /** The id in base64url. */
  readonly id: string;
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly counter: number;
  readonly transports: string[];
}

const shown = 'id, name, created_at, last_used_at';
const mostPasskeys = 20;
const challengeSeconds = 300;

/** The passkeys of an account, the oldest first. */
export const selectPasskeys = (database: Queryable, developerId: string) =>
  database.query<PasskeyRow & { credential_id: string }>(
    `select ${shown}, credential_id from auth.passkey where developer_id = $1 order by created_at, id`,
    [developerId],
  );

/** Whether an account has a passkey, and the session, if there is one, did not prove a second factor. */
export async function lacksPasskey(on: Queryable, developerId: string, session: string | null) {
  const statement = `
    select from auth.passkey where developer_id = $1
    and not exists (select from auth.family where id = $2 and second_factor) limit 1`;
  return (await on.query(statement, [developerId, session])).length === 1;
}

/** A passkey and its account; undefined if no account has it. */
export function selectCredential(
  database: Queryable,
  id: string,
): Promise<(Credential & { readonly developerId: string }) | undefined> {
  const statement = `
    select credential_id as id, public_key as "publicKey", counter::float8 as counter, transports, developer_id as "developerId"
    from auth.passkey where credential_id = $1`;
  return firstRow(database, statement, [id]);
}

/** Stores a passkey; undefined if an account has it, or this one has 20. */
export function insertPasskey(
  on: Queryable,
  developerId: string,
  { name, credential: { id, publicKey, counter, transports } }: { name: string; credential: Credential },
): Promise<PasskeyRow | undefined> {
  const statement = `
    insert into auth.passkey (developer_id, credential_id, public_key, counter, transports, name)
    select $1, $2, $3, $4, $5, $6
    where (select count(*) from auth.passkey where developer_id = $1) < ${mostPasskeys}
    on conflict (credential_id) do nothing returning ${shown}`;
  const values = [developerId, id, Buffer.from(publicKey), counter, transports, name];
  return firstRow(on, statement, values);
}

/** Notes a use with its counter; false if the counter is not higher, or the passkey was removed meanwhile. */
export async function useCounter(on: Queryable, id: string, counter: number): Promise<boolean> {
  const statement = `
    update auth.passkey set counter = $2, last_used_at = now()
    where credential_id = $1 and (counter < $2 or (counter = 0 and $2 = 0)) returning id`;
  return (await on.query(statement, [id, counter])).length === 1;
}

/** Removes one passkey of an account, or all of them. */
export async function deletePasskeys(
  on: Queryable,
  developerId: string,
  id: string | null,
): Promise<PasskeyRow[]> {
  const statement = `
    delete from auth.passkey where developer_id = $1 and ($2::uuid is null or id = $2) returning ${shown}`;
  return on.query<PasskeyRow>(statement, [developerId, id]);
}

/** Stores a challenge of a session that adds a passkey, or of a sign-in, by its hash. */
export async function insertChallenge(on: Queryable, hash: string, session: string | null): Promise<void> {
  const statement = `
    insert into auth.passkey_challenge (hash, family_id, expires_at)
    values ($1, $2, now() + make_interval(secs => ${challengeSeconds}))`;
  await on.query(statement, [hash, session]);
}

/** Consumes a challenge. Of several concurrent uses only one returns true. */
export async function useChallenge(on: Queryable, hash: string, session: string | null): Promise<boolean> {
  const statement = `
    delete from auth.passkey_challenge
    where hash = $1 and family_id is not distinct from $2::uuid and expires_at > now() returning hash`;
  return (await on.query(statement, [hash, session])).length === 1;
}

/** Deletes the challenges of all sessions of an account that add a passkey. */
export async function deleteChallenges(on: Queryable, developerId: string): Promise<void> {
  const statement = `
    delete from auth.passkey_challenge c using auth.family f where f.id = c.family_id and f.developer_id = $1`;
  await on.query(statement, [developerId]);
}
