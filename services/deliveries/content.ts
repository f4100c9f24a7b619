import type { DeliveryBody, DeliveryDetails } from '../../contracts/deliveries/content.ts';
import { ServiceError } from '../../domain/errors.ts';
import { recordAudit } from '../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../mixins/database/database.ts';
import { UnreadableBody } from '../../mixins/inbox/body-cipher.ts';
import { type BodyKeys, readKeptBody } from '../../mixins/inbox/sealed-bodies.ts';
import type { AuditOrigin } from '../../runtime/audit-origin.ts';
import { itemErrorsIn } from './item-errors.ts';
import { toWire } from './listing.ts';
import { type BodyRow, selectBody, selectDelivery } from './queries/select-content.ts';

/** A delivery with the errors of its items. @throws DELIVERY_NOT_FOUND (404) */
export async function readDelivery(database: Queryable, id: string): Promise<DeliveryDetails> {
  const row = await selectDelivery(database, id);
  if (row === undefined) throw new ServiceError('DELIVERY_NOT_FOUND');
  return { ...toWire(row), item_errors: itemErrorsIn(row.answer) };
}

/** A delivery, and the part of its body. */
export interface BodyPart {
  readonly delivery_id: string;
  readonly offset: number;
  readonly limit: number;
}

interface ContentDeps {
  readonly database: Database;
  readonly origin: AuditOrigin;
  readonly config: BodyKeys;
}

/**
 * A part of the body of a delivery. Its audit entry is committed before the answer is sent.
 * @throws DELIVERY_NOT_FOUND (404), DELIVERY_ERASED (409), DELIVERY_BEING_ERASED (409)
 */
export function readContent(
  { database, origin, config }: ContentDeps,
  part: BodyPart,
): Promise<DeliveryBody> {
  const { delivery_id: id, offset, limit } = part;
  return database.transaction(async (transaction) => {
    const row = await selectBody(transaction, id, offset, limit);
    if (row === undefined) throw new ServiceError('DELIVERY_NOT_FOUND');
    if (row.erased) throw new ServiceError('DELIVERY_ERASED');
    if (row.being_erased) throw new ServiceError('DELIVERY_BEING_ERASED');
    const { provider, kind } = row;
    const entry = { subjectId: id, details: { provider, kind, offset } };
    await recordAudit(transaction, origin, { ...entry, action: 'delivery.read' });
    return partOf(row.is_sealed ? await openedRow(transaction, config, row, part) : row, part);
  });
}

/** @throws SERVICE_UNAVAILABLE (503) for a body whose secret is not configured */
export function refuseUnreadable(error: unknown): never {
  if (!(error instanceof UnreadableBody)) throw error;
  throw new ServiceError('SERVICE_UNAVAILABLE', 'ENCRYPTION_KEY lacks the secret that encrypted this body.');
}

// An encrypted body is decrypted as a whole for each part.
async function openedRow(
  transaction: Queryable,
  config: BodyKeys,
  row: BodyRow,
  { delivery_id: id, offset, limit }: BodyPart,
): Promise<BodyRow> {
  const body = await readKeptBody(transaction, config, { ...row, id }).catch(refuseUnreadable);
  return { ...row, slice: body.subarray(offset, offset + limit) };
}

function partOf(
  { slice, body_bytes, content_type }: BodyRow,
  { delivery_id, offset }: BodyPart,
): DeliveryBody {
  const isLast = offset + slice.length >= body_bytes;
  const { bytes, ...content } = decoded(slice, isLast);
  const next = offset + bytes;
  return { delivery_id, content_type, body_bytes, offset, next_offset: isLast ? null : next, ...content };
}

// A character at the end that is cut off belongs to the next part.
function decoded(slice: Buffer, isLast: boolean) {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    const content = decoder.decode(slice, { stream: !isLast });
    return { encoding: 'utf-8' as const, content, bytes: Buffer.byteLength(content) };
  } catch {
    return { encoding: 'base64' as const, content: slice.toString('base64'), bytes: slice.length };
  }
}
