import type { SubscriptionState } from '../../../domain/provider/pulled-provider.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

/** The state of an application's subscription, when it was checked, and since when it has this state. */
export interface SubscriptionRow {
  readonly state: SubscriptionState;
  readonly checked_at: Date;
  readonly since: Date;
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
