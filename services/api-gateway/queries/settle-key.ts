import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { KeyOwner } from './claim-key.ts';

/** The outcome of a request; the answer is ciphertext. */
export interface Settled {
  readonly status: number;
  readonly answer: string;
  readonly userId: string | null;
}

const keep: Statement = {
  name: 'gateway.keep_answer',
  text: `
update gateway.idempotent_answer set status = $4, answer = $5, user_id = $6
where caller = $1 and route = $2 and key_hash = $3 and status is null`,
};

const release: Statement = {
  name: 'gateway.release_key',
  text: `
delete from gateway.idempotent_answer where caller = $1 and route = $2 and key_hash = $3 and status is null`,
};

/** Stores the answer of the request that claimed the key. */
export async function keepAnswer(database: Queryable, owner: KeyOwner, settled: Settled): Promise<void> {
  const { caller, route, keyHash } = owner;
  await database.query(keep, [caller, route, keyHash, settled.status, settled.answer, settled.userId]);
}

/** Releases the key of a request without an effect, so that it may run again. */
export async function releaseKey(database: Queryable, { caller, route, keyHash }: KeyOwner): Promise<void> {
  await database.query(release, [caller, route, keyHash]);
}
