import type { Queryable, Statement } from '../database/database.ts';

/** A stored delivery with a body. */
export interface StoredBody {
  readonly id: string;
  readonly body_bytes: number;
  readonly is_sealed: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** A kept delivery that is not being processed, without its body. */
export interface KeptDelivery extends StoredBody {
  readonly kind: string;
  readonly received_ms: number;
}

const selected: Statement = {
  name: 'inbox.kept',
  text: `
    select id, kind, (extract(epoch from received_at) * 1000)::float8 as received_ms,
      coalesce(sealed_bytes, octet_length(body)) as body_bytes, sealed_bytes is not null as is_sealed, headers
    from deliveries.delivery where id = $1 and provider = $2 and state = 'done' and erased_at is null`,
};

/** A processed delivery of a provider; undefined if it is gone, erased, or in work again. */
export async function selectKept(
  database: Queryable,
  id: string,
  provider: string,
): Promise<KeptDelivery | undefined> {
  const [row] = await database.query<KeptDelivery>(selected, [id, provider]);
  return row === undefined ? undefined : { ...row, received_ms: Math.floor(row.received_ms) };
}

const newer: Statement = {
  name: 'inbox.newer_of_sender',
  text: `
    select d.id, coalesce(d.sealed_bytes, octet_length(d.body)) as body_bytes, d.sealed_bytes is not null as is_sealed,
      d.headers
    from deliveries.delivery o
    join deliveries.delivery d on d.sender = $2 and d.provider = o.provider and d.kind = o.kind
      and d.received_at > o.received_at
    where o.id = $1 and d.state in ('ready', 'working', 'done') and d.erased_at is null
    order by d.received_at`,
};

/**
 * The deliveries of a sender that arrived after one of its deliveries, oldest first: processed, or to be processed. A
 * delivery is stored before its processing begins, so that one that is missing here is processed later.
 */
export function selectNewer(database: Queryable, id: string, sender: string): Promise<StoredBody[]> {
  return database.query<StoredBody>(newer, [id, sender]);
}
