import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** The maximum number of unauthenticated deliveries that are held for one connection. */
const mostHeld = 10_000;

// The lock on the check makes a restoration wait for deliveries that are being held. If the connection was restored
// meanwhile, nothing is held, and the caller's next query finds the connection active.
const held: Statement = {
  name: 'users.hold_delivery',
  text: `
    with unconfirmed as (
      select a.connection_id from users.access_check a join users.connection c on c.id = a.connection_id
      where a.provider = $1 and a.ending = 'applied' and c.provider_user_id = any($2)
      for share of a)
    insert into users.held_delivery (connection_id, delivery_id)
    select u.connection_id, $3 from unconfirmed u
    where $4::boolean
      or (select count(*) from users.held_delivery h where h.connection_id = u.connection_id) < ${mostHeld}
    on conflict do nothing`,
};

/** A delivery that is held for accounts whose ending is unconfirmed. */
export interface HeldDelivery {
  readonly id: string;
  readonly authenticated: boolean;
}

/** Holds a delivery for those of the accounts whose ending is unconfirmed. */
export async function holdDelivery(
  database: Queryable,
  provider: ProviderName,
  accounts: readonly string[],
  { id, authenticated }: HeldDelivery,
): Promise<void> {
  await database.query(held, [provider, accounts, id, authenticated]);
}

/** At most `most` of the deliveries that are held for a connection. */
export async function selectHeld(database: Queryable, connectionId: string, most: number): Promise<string[]> {
  const rows = await database.query<{ delivery_id: string }>(
    'select delivery_id from users.held_delivery where connection_id = $1 order by delivery_id limit $2',
    [connectionId, most],
  );
  return rows.map(({ delivery_id }) => delivery_id);
}

/** Releases a held delivery; without an id, all deliveries of the connection. */
export async function releaseHeld(
  database: Queryable,
  connectionId: string,
  deliveryId: string | null = null,
): Promise<void> {
  await database.query(
    'delete from users.held_delivery where connection_id = $1 and ($2::uuid is null or delivery_id = $2)',
    [connectionId, deliveryId],
  );
}
