import type { Queryable, Statement } from './database.ts';

/** A kept delivery that is not being processed, without its body. */
export interface KeptDelivery {
  readonly id: string;
  readonly kind: string;
  readonly received_ms: number;
  readonly authenticated: boolean;
  readonly body_bytes: number;
}

const selected: Statement = {
  name: 'inbox.kept',
  text: `
    select id, kind, (extract(epoch from received_at) * 1000)::float8 as received_ms, authenticated,
      octet_length(body) as body_bytes
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
