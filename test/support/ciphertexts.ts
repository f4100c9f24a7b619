import type { Database } from '../../mixins/database/database.ts';
import type { Cipher } from '../../mixins/provider-api/cipher.ts';
import { ownTables } from './traces.ts';

/** An encrypted value: its place and plain text; null if it cannot be decrypted. */
export interface Ciphertext {
  readonly place: string;
  readonly text: string | null;
}

const form = String.raw`v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]+`;

// What ciphertext may be bound to: a connection, the state of an attempt to connect, a key of an idempotent request.
const bounds = `
select id::text as bound from users.connection
union select payload ->> 'connection_id' from jobs.job where kind = 'users.token_revocation'
union select state_hash from connect.attempt
union select caller || ' ' || route || ' ' || encode(key_hash, 'hex') from gateway.idempotent_answer`;

/** Every ciphertext of the database, opened. */
export async function ciphertextsOf(database: Database, cipher: Cipher): Promise<Ciphertext[]> {
  const known = (await database.query<{ bound: string }>(bounds)).map(({ bound }) => bound);
  const all: Ciphertext[] = [];
  for (const [relation, columns] of await ownTables(database))
    for (const { name } of columns) {
      const rows = await database.query<{ value: string }>(
        `select (regexp_matches(t."${name}"::text, $1, 'g'))[1] as value from ${relation} t where t."${name}"::text ~ $1`,
        [`(${form})`],
      );
      for (const { value } of rows)
        all.push({ place: `${relation}.${name}`, text: opened(cipher, value, known) });
    }
  return all;
}

function opened(cipher: Cipher, value: string, bounds: readonly string[]): string | null {
  for (const bound of bounds)
    try {
      return cipher.decrypt(value, bound);
    } catch {
      // bound to another row
    }
  return null;
}
