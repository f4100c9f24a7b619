import { z } from 'zod';
import type { Consent } from '../../../contracts/connect/consents.ts';
import type { connect } from '../../../contracts/connect.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { decodeCursor } from '../../../domain/cursor.ts';
import { type Page, pageFrom } from '../../../domain/page.ts';
import { resolveOpenRange } from '../../../domain/time/open-range.ts';
import { formatInstant, instantOrNull } from '../../../domain/time/time.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { awaitLateWrites, lockLateWrites } from '../../../mixins/database/forgotten-users.ts';
import { requestedScopes } from '../../../runtime/provider-settings.ts';
import {
  type ConsentRow,
  countConsents,
  deleteConsents,
  insertConsent,
  type NewConsent,
  selectConsents,
} from '../tables/consents.ts';

const ConsentPosition = z.tuple([z.string().regex(/^\d{1,18}$/)]);

/** The user, the range and the page of a request for consents. */
type ConsentQuery = ParamsOf<typeof connect, 'consents'>;

/** One page of a user's consents, newest first. @throws RANGE_INVALID, CURSOR_INVALID (422) */
export async function readConsents(
  database: Queryable,
  request: ConsentQuery,
  nowMs: number,
): Promise<Page<Consent>> {
  const { limit, start_time, end_time } = request;
  const range = resolveOpenRange(request, nowMs);
  const filter = {
    userId: request.user_id,
    start: start_time === undefined ? null : new Date(range.startMs),
    end: end_time === undefined ? null : new Date(range.endMs),
  };
  const query = ['consents', filter];
  const cursor = request.cursor === undefined ? null : decodeCursor(request.cursor, query, ConsentPosition);
  const [rows, totalCount] = await Promise.all([
    selectConsents(database, filter, cursor, limit + 1),
    countConsents(database, filter),
  ]);
  const direction = cursor?.direction ?? null;
  const keyOf = (row: ConsentRow) => [row.id];
  return pageFrom({ query, range, resolution: null, limit, direction, rows, totalCount, keyOf, toWire });
}

function toWire(row: ConsentRow): Consent {
  return {
    id: row.id,
    provider: row.provider,
    kind: row.kind,
    text_version: row.text_version,
    language: row.language,
    scopes: row.scopes,
    session_id: row.session_id,
    agreed_at: formatInstant(row.agreed_at.getTime()),
    withdrawn_at: instantOrNull(row.withdrawn_at),
  };
}

/** Stores a consent, unless the user is deleted. */
export async function storeConsent(database: Database, agreement: Omit<NewConsent, 'scopes'>): Promise<void> {
  const consent = { ...agreement, scopes: requestedScopes(agreement.provider) };
  await database.transaction(async (transaction) => {
    await lockLateWrites(transaction, 'consents');
    await insertConsent(transaction, consent);
  });
}

/** Deletes the consents of a user who is deleted. */
export async function forgetConsents(database: Queryable, userId: string): Promise<void> {
  await awaitLateWrites(database, 'consents');
  await deleteConsents(database, userId);
}
