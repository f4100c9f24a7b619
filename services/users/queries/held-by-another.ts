import type { Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

// Of two users who connect the same account at once, the second one waits for the first transaction.
const lock = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';
const held = `
select 1 from users.connection
where provider = $1 and provider_user_id = $2 and user_id <> $3 and status = 'active' limit 1`;

/** Whether an account is connected to another user. The answer is true until the transaction ends. */
export async function isHeldByAnother(
  transaction: Queryable,
  account: {
    readonly user_id: string;
    readonly provider: ProviderName;
    readonly provider_user_id: string;
  },
): Promise<boolean> {
  const { user_id, provider, provider_user_id } = account;
  await transaction.query(lock, [`account ${provider} ${provider_user_id}`]);
  return (await transaction.query(held, [provider, provider_user_id, user_id])).length > 0;
}
