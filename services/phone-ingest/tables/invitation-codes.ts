import type { Queryable } from '../../../mixins/database/database.ts';

/** A new code. */
interface NewCode {
  readonly hash: string;
  readonly userId: string;
  readonly developerId: string | null;
  readonly lifetimeMinutes: number;
}

/** What is stored of a code. */
export interface CodeRow {
  readonly id: string;
  readonly user_id: string;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** Stores a code. Earlier codes of the user that nobody redeemed are deleted. */
export async function insertCode(
  transaction: Queryable,
  { hash, userId, developerId, lifetimeMinutes }: NewCode,
): Promise<CodeRow> {
  await transaction.query('delete from phone.invitation_code where user_id = $1 and redeemed_at is null', [
    userId,
  ]);
  const [row] = await transaction.query<CodeRow>(
    `insert into phone.invitation_code (hash, user_id, developer_id, expires_at)
     values ($1, $2, $3, now() + make_interval(mins => $4))
     returning id, user_id, created_at, expires_at`,
    [hash, userId, developerId, lifetimeMinutes],
  );
  if (row === undefined) throw new Error('the code was not stored');
  return row;
}

const redeemed = `
update phone.invitation_code set redeemed_at = now()
where hash = $1 and redeemed_at is null and expires_at > now()
returning id, user_id, created_at, expires_at, developer_id`;

/** Uses up a code. Null: it is unknown, used or expired. */
export async function redeem(
  database: Queryable,
  hash: string,
): Promise<(CodeRow & { developer_id: string | null }) | null> {
  const rows = await database.query<CodeRow & { developer_id: string | null }>(redeemed, [hash]);
  return rows[0] ?? null;
}
