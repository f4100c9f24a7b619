import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import { type DeliveryRow, deliveryColumns } from './select-deliveries.ts';

const delivery: Statement = {
  name: 'deliveries.select_delivery',
  text: `select ${deliveryColumns}, answer from deliveries.delivery where id = $1`,
};

/** A delivery with the answer to it. */
export interface AnsweredDelivery extends DeliveryRow {
  answer: unknown;
}

/** One delivery; undefined if there is none. */
export async function selectDelivery(database: Queryable, id: string): Promise<AnsweredDelivery | undefined> {
  const [row] = await database.query<AnsweredDelivery>(delivery, [id]);
  return row;
}

/** A part of the body of a delivery. */
export interface BodyRow {
  provider: string;
  kind: string;
  content_type: string | null;
  body_bytes: number;
  /** The body is encrypted, and `slice` is empty. */
  is_sealed: boolean;
  slice: Buffer;
  /** All of the content was erased. */
  erased: boolean;
  /** The content may still contain data of an account that is being erased. */
  being_erased: boolean;
}

// An erasure has searched the deliveries up to its `place`; it retries those in `waiting`.
const body: Statement = {
  name: 'deliveries.select_body',
  text: `
    select provider, kind, headers ->> 'content-type' as content_type, coalesce(sealed_bytes, octet_length(body)) as body_bytes,
      sealed_bytes is not null as is_sealed, substring(body from $2::int + 1 for $3::int) as slice, erased_at is not null as erased,
      exists (
        select from deliveries.erasure e where e.provider = d.provider and e.received_until >= d.received_at
          and (d.id = any(e.waiting) or (not e.passed and e.place < d.id))
      ) as being_erased
    from deliveries.delivery d where id = $1`,
};

/** A part of the body of a delivery, as it was received; undefined if there is no such delivery. */
export async function selectBody(
  database: Queryable,
  id: string,
  offset: number,
  bytes: number,
): Promise<BodyRow | undefined> {
  const [row] = await database.query<BodyRow>(body, [id, offset, bytes]);
  return row;
}
