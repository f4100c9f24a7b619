import { z } from 'zod';
import type { DeliveryBody, DeliveryDetails } from '../../../contracts/deliveries/content.ts';
import type { Delivery } from '../../../contracts/deliveries.ts';
import { UploadProblem } from '../../../contracts/upload-problem.ts';
import { type Cursor, decodeCursor, encodeCursor } from '../../../domain/cursor.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { Pagination } from '../../../domain/page.ts';
import { formatInstant, instantOrNull } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { UnreadableBody } from '../../../mixins/inbox/body-cipher.ts';
import { type BodyKeys, readKeptBody } from '../../../mixins/inbox/sealed-bodies.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import {
  type BodyRow,
  countDeliveries,
  type DeliveryFilter,
  type DeliveryKey,
  type DeliveryRow,
  replay,
  selectBody,
  selectDeliveries,
  selectDelivery,
} from '../tables/deliveries.ts';
import { unseal } from '../work/sealing.ts';

const Key = z.tuple([z.number(), z.uuid()]);

/** The filter and the page of a list of deliveries. */
interface DeliveriesQuery extends DeliveryFilter {
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** One page of deliveries of a filter, newest first, in either direction. @throws CURSOR_INVALID (422). */
export async function listDeliveries(
  database: Queryable,
  { cursor: text, limit, ...filter }: DeliveriesQuery,
): Promise<{ data: Delivery[]; pagination: Pagination }> {
  const { status, provider } = filter;
  const query = ['deliveries', status, ...(provider === undefined ? [] : [provider])];
  const cursor: Cursor<DeliveryKey> | null = text === undefined ? null : decodeCursor(text, query, Key);
  const [read, total] = await Promise.all([
    selectDeliveries(database, filter, cursor, limit + 1),
    countDeliveries(database, filter),
  ]);
  const isCut = read.length > limit;
  const isBackward = cursor?.direction === 'previous';
  const rows = isBackward ? read.slice(0, limit).toReversed() : read.slice(0, limit);
  const next = isBackward || isCut ? rows.at(-1) : undefined;
  const previous = (isBackward ? isCut : cursor !== null) ? rows[0] : undefined;
  return {
    data: rows.map(toWire),
    pagination: {
      next_cursor: next === undefined ? null : encodeCursor(query, 'next', keyOf(next)),
      previous_cursor: previous === undefined ? null : encodeCursor(query, 'previous', keyOf(previous)),
      has_more: next !== undefined,
      total_count: total,
    },
  };
}

function keyOf({ received_us, id }: DeliveryRow): DeliveryKey {
  return [received_us, id];
}

/** The wire format of a delivery. */
export function toWire(row: DeliveryRow): Delivery {
  const isOpen = row.state === 'ready' || row.state === 'working';
  return {
    id: row.id,
    provider: row.provider,
    kind: row.kind,
    status: row.state,
    attempts: row.attempts,
    received_at: formatInstant(row.received_at.getTime()),
    next_attempt_at: isOpen ? formatInstant(row.run_at.getTime()) : null,
    done_at: instantOrNull(row.done_at),
    error: row.error,
    body_bytes: row.body_bytes,
  };
}

/** A delivery with the errors of its items. @throws DELIVERY_NOT_FOUND (404) */
export async function readDelivery(database: Queryable, id: string): Promise<DeliveryDetails> {
  const row = await selectDelivery(database, id);
  if (row === undefined) throw new ServiceError('DELIVERY_NOT_FOUND');
  return { ...toWire(row), item_errors: itemErrorsIn(row.answer) };
}

/** A delivery, and the part of its body. */
interface BodyPart {
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
function refuseUnreadable(error: unknown): never {
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

/** The most sentences of one delivery. */
export const mostItemErrors = 1000;

/**
 * The sentences about items in the answer to a delivery: each list `errors`, at any depth, the problems of an upload, and
 * the reason for which an event was skipped. The first `mostItemErrors` of them.
 */
export function itemErrorsIn(answer: unknown): string[] {
  const found: string[] = [];
  collect(answer, found);
  return found.slice(0, mostItemErrors);
}

function collect(value: unknown, found: string[]): void {
  if (typeof value !== 'object' || value === null || found.length >= mostItemErrors) return;
  const { status, message } = fieldsOf(value);
  if (status === 'skipped' && typeof message === 'string') found.push(message);
  for (const [name, field] of Object.entries(value)) {
    if (name === 'errors' && Array.isArray(field))
      found.push(...field.filter((one) => typeof one === 'string'));
    else if (name === 'problems' && Array.isArray(field)) found.push(...field.flatMap(problemSentence));
    else collect(field, found);
  }
}

function problemSentence(problem: unknown): string[] {
  const read = UploadProblem.safeParse(problem).data;
  if (read === undefined) return [];
  const { item, id, field, reason } = read;
  return [`${item} ${id ?? 'without an id'}: ${field} ${reason}`.replace('  ', ' ')];
}

const fieldsOf = (value: object): { status?: unknown; message?: unknown } => value;

interface ReplayDeps {
  readonly database: Database;
  readonly origin: AuditOrigin;
  readonly config: BodyKeys;
}

/** Makes a delivery due again, with its body decrypted; undefined if it is unknown, erased or being processed. */
export function replayDelivery(
  { database, origin, config }: ReplayDeps,
  id: string,
): Promise<DeliveryRow | undefined> {
  return database.transaction(async (transaction) => {
    const row = await replay(transaction, id);
    if (row === undefined) return undefined;
    if (row.is_sealed) await unseal(transaction, config, id).catch(refuseUnreadable);
    const entry = { subjectId: id, details: { provider: row.provider, kind: row.kind } };
    await recordAudit(transaction, origin, { ...entry, action: 'delivery.replayed' });
    return row;
  });
}
