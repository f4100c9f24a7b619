import type { Config } from '../../config.ts';
import type { Queryable, Statement } from '../database/database.ts';
import { type BodyCipher, bodyCipherOf } from './body-cipher.ts';
import { readBody } from './inbox.ts';
import { readProgressBody } from './inbox-progress.ts';

/**
 * Bodies of deliveries that are kept longer than DELIVERY_RETENTION_DAYS, encrypted. The body of a delivery has the entry '',
 * a body that was fetched for it the entry of its progress.
 */

/** The entry of the body of a delivery itself. */
export const ownBody = '';

/** A delivery whose body is read. */
export interface BodyHolder {
  readonly id: string;
  readonly body_bytes: number;
  readonly is_sealed: boolean;
}

/** What reading kept bodies needs. ENCRYPTION_KEY is used for encrypted bodies only. */
export type BodyKeys = Pick<Config, 'ENCRYPTION_KEY'>;

/** For how many days the bodies of processed deliveries are kept. Those older than DELIVERY_RETENTION_DAYS are encrypted. */
export const bodyRetentionDays = (
  config: Pick<Config, 'DELIVERY_RETENTION_DAYS' | 'RAW_BODY_RETENTION_DAYS'>,
) => Math.max(config.DELIVERY_RETENTION_DAYS, config.RAW_BODY_RETENTION_DAYS ?? 0);

interface SealedSlice {
  key_id: string;
  slice: Buffer;
}

const sliceBytes = 256 * 1024;

// In slices, as plain bodies.
const selected: Statement = {
  name: 'inbox.sealed_body',
  text: `
    select s.key_id, substring(s.sealed from start for $3) as slice from deliveries.sealed_body s
    cross join lateral generate_series(1, octet_length(s.sealed), $3::int) start
    where s.delivery_id = $1 and s.entry = $2 order by start`,
};

const boundTo = (id: string, entry: string) => `${id} ${entry}`;

/** Reads an encrypted body; null if there is none. @throws if no configured secret decrypts it */
export async function readSealed(
  database: Queryable,
  cipher: BodyCipher,
  id: string,
  entry: string,
): Promise<Buffer | null> {
  const slices = await database.query<SealedSlice>(selected, [id, entry, sliceBytes]);
  const [first] = slices;
  if (first === undefined) return null;
  const sealed = Buffer.concat(slices.map(({ slice }) => slice));
  return cipher.decrypt({ key_id: first.key_id, sealed }, boundTo(id, entry));
}

/** The body of a kept delivery, encrypted or not. @throws if it is gone, or no configured secret decrypts it */
export async function readKeptBody(database: Queryable, keys: BodyKeys, held: BodyHolder): Promise<Buffer> {
  if (!held.is_sealed) return readBody(database, held);
  const body = await readSealed(database, bodyCipherOf(keys), held.id, ownBody);
  if (body === null) throw new Error('the delivery is gone');
  return body;
}

/** A body that was fetched for a kept delivery, encrypted or not; null if there is none. */
export function readKeptEntry(
  database: Queryable,
  keys: BodyKeys,
  { id, is_sealed }: Pick<BodyHolder, 'id' | 'is_sealed'>,
  entry: string,
): Promise<Buffer | null> {
  if (!is_sealed) return readProgressBody(database, id, entry);
  return readSealed(database, bodyCipherOf(keys), id, entry);
}

const kept = `
insert into deliveries.sealed_body (delivery_id, entry, key_id, sealed, body_bytes) values ($1, $2, $3, $4, $5)
on conflict (delivery_id, entry) do update
  set key_id = excluded.key_id, sealed = excluded.sealed, body_bytes = excluded.body_bytes`;

/** Keeps a body encrypted, in place of a former one. */
export async function keepSealed(
  transaction: Queryable,
  cipher: BodyCipher,
  { id, entry, body }: { readonly id: string; readonly entry: string; readonly body: Buffer },
): Promise<void> {
  const { key_id, sealed } = await cipher.encrypt(body, boundTo(id, entry));
  await transaction.query(kept, [id, entry, key_id, sealed, body.length]);
}

/** The encrypted bodies of a delivery by entry. */
export async function sealedEntries(database: Queryable, id: string): Promise<string[]> {
  const rows = await database.query<{ entry: string }>(
    'select entry from deliveries.sealed_body where delivery_id = $1 order by entry',
    [id],
  );
  return rows.map(({ entry }) => entry);
}
