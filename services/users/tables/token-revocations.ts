import type { Queryable } from '../../../mixins/database/database.ts';
import { cancelJobs, enqueue } from '../../../mixins/jobs/job-queue.ts';
import { isProviderName, type ProviderName } from '../../../providers/all.ts';
import { type TokenRevocation, tokenRevocationKind } from '../rules/job-kinds.ts';

// Read before the connection loses its tokens, in the same transaction.
const selected = `
select id as connection_id, provider, provider_user_id, access_token, refresh_token, expires_at,
  provider_client_id, region
from users.connection
where user_id = $1 and ($2::text is null or provider = $2) and access_token is not null
  and status = 'active'`;

/** Enqueues the revocation of our access at one provider, or at all of them (null). */
export async function enqueueTokenRevocations(
  transaction: Queryable,
  userId: string,
  provider: ProviderName | null,
): Promise<void> {
  type Row = Omit<TokenRevocation, 'expires_at'> & { readonly expires_at: Date | null };
  for (const row of await transaction.query<Row>(selected, [userId, provider])) {
    // The description of a provider that PROVIDERS has lost does not say how our access is ended.
    if (!isProviderName(row.provider)) continue;
    const payload = { ...row, expires_at: row.expires_at?.toISOString() ?? null };
    const others = [row.provider_client_id, row.region].flatMap((one) => (one === null ? [] : [`:${one}`]));
    const key = `${row.connection_id}:${row.provider_user_id}${others.join('')}`;
    await enqueue(transaction, tokenRevocationKind, { key, payload });
  }
}

// Access belongs to the account and the OAuth client, not to the connection: it is not revoked while another connection of the
// client uses the account.
const needless = `
select $3::timestamptz < now() - interval '1 day' or exists (
  select from users.connection c left join users.provider_client k on k.id = c.provider_client_id
  where c.provider = $1 and c.provider_user_id = $2 and c.region is not distinct from $5
    and k.client_id is not distinct from (select client_id from users.provider_client where id = $4) and c.status = 'active') as needless`;

/** Whether a revocation is older than a day, or a connection uses the account. */
export async function isNeedless(
  database: Queryable,
  { provider, provider_user_id, provider_client_id, region }: TokenRevocation,
  createdAt: Date,
): Promise<boolean> {
  const values = [provider, provider_user_id, createdAt, provider_client_id, region];
  const [row] = await database.query<{ needless: boolean }>(needless, values);
  return row?.needless === true;
}

/** The number of waiting revocations that may need the secret of a client of a project: an expired token is refreshed first. */
export async function countRevocations(database: Queryable, project: string): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    `select count(*)::int as n from jobs.job j
     join users.provider_client k on k.id::text = j.payload ->> 'provider_client_id'
     where j.kind = $2 and j.dead_at is null and k.project_id = $1 and k.client_secret is not null`,
    [project, tokenRevocationKind.name],
  );
  return row?.n ?? 0;
}

/** Cancels the revocations of an account that is connected again with the same client. */
export async function cancelTokenRevocations(
  transaction: Queryable,
  {
    provider,
    provider_user_id,
    client,
    region,
  }: {
    readonly provider: ProviderName;
    readonly provider_user_id: string;
    readonly client: string | null;
    readonly region: string | null;
  },
): Promise<void> {
  const condition = `payload ->> 'provider' = $2 and payload ->> 'provider_user_id' = $3
    and payload ->> 'provider_client_id' is not distinct from $4 and payload ->> 'region' is not distinct from $5`;
  const values = [provider, provider_user_id, client, region];
  await cancelJobs(transaction, tokenRevocationKind, condition, values);
}
