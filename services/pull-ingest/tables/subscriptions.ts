import type { Config } from '../../../config.ts';
import type { SubscriptionState } from '../../../domain/provider/pulled-provider.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { cipherOf } from '../../../mixins/provider-api/cipher.ts';

/** The state of an application's subscription, when it was checked, and since when it has this state. */
interface SubscriptionRow {
  readonly state: SubscriptionState;
  readonly checked_at: Date;
  readonly since: Date;
}

const boundTo = (provider: string) => `subscription ${provider}`;

/** Stores the secret with which a provider signs the notifications of the subscription that it just made. */
export async function storeSecret(
  { config, database }: { readonly config: Config; readonly database: Queryable },
  provider: string,
  secret: string,
): Promise<void> {
  const encrypted = cipherOf(config).encrypt(secret, boundTo(provider));
  await database.query(
    `insert into pull.subscription as s (provider, state, checked_at, since, secret) values ($1, 'unknown', now(), now(), $2)
     on conflict (provider) do update set secret = excluded.secret`,
    [provider, encrypted],
  );
}

/** The secret with which a provider signs. Null: it has given none. */
export async function readSecret(
  config: Config,
  database: Queryable,
  provider: string,
): Promise<string | null> {
  const [row] = await database.query<{ secret: string | null }>(
    'select secret from pull.subscription where provider = $1',
    [provider],
  );
  return row?.secret == null ? null : cipherOf(config).decrypt(row.secret, boundTo(provider));
}

/** Stores the state of an application's subscription. */
export async function noteSubscription(
  database: Queryable,
  provider: string,
  state: SubscriptionState,
): Promise<void> {
  await database.query(
    `insert into pull.subscription as s (provider, state, checked_at, since) values ($1, $2, now(), now())
     on conflict (provider) do update set state = excluded.state, checked_at = excluded.checked_at,
       since = case when s.state = excluded.state then s.since else excluded.since end`,
    [provider, state],
  );
}

/** The subscription of an application, if it was checked. */
export async function selectSubscription(
  database: Queryable,
  provider: string,
): Promise<SubscriptionRow | undefined> {
  const [row] = await database.query<SubscriptionRow>(
    'select state, checked_at, since from pull.subscription where provider = $1',
    [provider],
  );
  return row;
}
