import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { ClockAt } from '../clocks/place.ts';
import type { RecordIdentity } from './record-rows.ts';
import type { StoredItems } from './stored-items.ts';

/** Context of storing an item's records. */
export interface RecordContext {
  readonly transaction: Queryable;
  readonly userId: string;
  readonly provider: string;
  readonly normaliserVersion: number | null;
  /** The clock of records without an offset. */
  readonly clockAt: ClockAt;
  readonly storedItems: StoredItems;
  /** The first local day whose events are kept. Null keeps all. */
  readonly eventsFrom: string | null;
  /** Ids of the records of the item's stored version. */
  readonly storedIds: readonly string[];
}

/** The identity of a record: its stored id, or a new one. */
export function identityOf(
  context: RecordContext,
  key: string,
  storedId: string | undefined,
): RecordIdentity {
  const { userId, provider, normaliserVersion } = context;
  const id = storedId ?? randomUUID();
  return { id, user_id: userId, provider, key, normaliser_version: normaliserVersion };
}
