import type { Mixin } from '../../runtime/environment.ts';
import type { DueCheck } from '../../runtime/jobs/due-clock.ts';
import { type Database, database, firstRow, type Queryable, type Statement } from '../database/database.ts';
import { changes } from '../jobs/job-table.ts';
import { type DeliveryState, type Lease, leaseMs, type NewDelivery, type Retry } from './delivery.ts';
import { keepAtHand, takeFromHand } from './inbox-at-hand.ts';
import { type Progress, progressOn } from './inbox-progress.ts';
import * as sql from './inbox-queries.ts';

/**
 * The durable queue of deliveries. Functions that write an outcome take the attempt. They return false (or null) if the
 * lease was lost: another worker holds the delivery or has finished it.
 */
export interface Inbox {
  /** Commits a request as one row that is leased to this call. `take` must follow within the lease. */
  receive(delivery: NewDelivery): Promise<string>;
  /** Drops the body from memory because no call waits for it any more. A later worker reads its row. */
  letGo(id: string): void;
  /** Starts the work on a delivery that was just received. Returns null if another worker holds it. */
  take(provider: string, id: string, lease?: number): Promise<Lease | null>;
  /**
   * Leases up to `limit` due deliveries, the oldest first. Deliveries without attempts left move to the dead letters.
   */
  claim(provider: string, limit: number, lease?: number, kind?: string): Promise<Lease[]>;
  /** How deliveries that `claim` would lease are noticed. */
  due(provider: string, kind?: string): DueCheck;
  extend(id: string, attempt: number, lease?: number): Promise<boolean>;
  readBody(held: Pick<Lease, 'id' | 'body_bytes'>): Promise<Buffer>;
  /** Results of earlier attempts, for the holder of the lease. */
  progressOf(held: Pick<Lease, 'id' | 'attempt'>): Progress;
  /** `warning`: a code that stays with the delivery. */
  finish(id: string, attempt: number, answer: unknown, warning?: string | null): Promise<boolean>;
  /** Releases the delivery: due again after `delayMs`, or dead after the last attempt. Returns the new state. */
  retryLater(id: string, attempt: number, retry: Retry): Promise<'ready' | 'dead' | null>;
  /** Releases the delivery without counting an attempt. It is due at once. */
  handBack(id: string, attempt: number): Promise<boolean>;
  /** Moves the delivery to the dead letters. An operator may replay it. */
  fail(id: string, attempt: number, reason: string, answer?: unknown): Promise<boolean>;
  /** The answer of a delivery, partial or final. Null while there is none. */
  answerOf(id: string): Promise<unknown>;
  /** The number of unfinished deliveries of a provider, counted up to `most`. */
  waiting(provider: string, most: number): Promise<number>;
  /** Returns null if the delivery does not exist. */
  stateOf(id: string): Promise<DeliveryState | null>;
}

/** The inbox as a mixin: `uses: { inbox: inbox() }`. */
export function inbox(): Mixin<Inbox> {
  return async (starting) => inboxOn(await database()(starting));
}

/** The inbox over an open database. */
export function inboxOn(database: Database): Inbox {
  const change = (statement: Statement, id: string, attempt: number, ...values: unknown[]) =>
    changes(database, statement, { key: [id], attempt }, ...values);
  return {
    receive: (delivery) => receive(database, delivery),
    letGo: (id) => void takeFromHand(id),
    async take(provider, id, lease = leaseMs) {
      const [row] = await database.query<sql.LeaseRow>(sql.takeDelivery, [id, provider, lease]);
      return row === undefined ? null : leaseOf(row);
    },
    claim: (provider, limit, lease = leaseMs, kind) => claim(database, { provider, limit, lease, kind }),
    due: (provider, kind) => ({ database, condition: () => sql.isDue(provider, kind) }),
    extend: (id, attempt, lease = leaseMs) => sql.extend(database, { key: [id], attempt }, lease),
    readBody: async (held) => takeFromHand(held.id) ?? readBody(database, held),
    progressOf: (held) => progressOn(database, held),
    finish: (id, attempt, answer, warning = null) =>
      change(sql.finishDelivery, id, attempt, JSON.stringify(answer), warning),
    async retryLater(id, attempt, { delayMs, reason, answer }) {
      const values = [attempt, id, Math.round(delayMs), reason, jsonOrNull(answer)];
      const [row] = await database.query<{ state: 'ready' | 'dead' }>(sql.retryDelivery, values);
      return row?.state ?? null;
    },
    handBack: (id, attempt) => change(sql.handBackDelivery, id, attempt),
    fail: (id, attempt, reason, answer) => change(sql.failDelivery, id, attempt, reason, jsonOrNull(answer)),
    answerOf: async (id) => (await stateOf(database, id))?.answer ?? null,
    async waiting(provider, most) {
      const [row] = await database.query<{ n: number }>(sql.countWaiting, [provider, most]);
      return row?.n ?? 0;
    },
    stateOf: (id) => stateOf(database, id),
  };
}

async function receive(database: Database, delivery: NewDelivery): Promise<string> {
  const { provider, kind, headers, body, sender = null } = delivery;
  const values = [provider, kind, JSON.stringify(headers), body, leaseMs, sender];
  const [row] = await database.query<{ id: string }>(sql.insertDelivery, values);
  if (row === undefined) throw new Error('the delivery was not stored');
  if (delivery.handOver === true) keepAtHand(provider, row.id, body);
  return row.id;
}

interface Claim {
  readonly provider: string;
  readonly limit: number;
  readonly lease: number;
  readonly kind: string | undefined;
}

// `update … returning` guarantees no order, so the claimed rows are sorted again.
async function claim(database: Database, { provider, limit, lease, kind }: Claim): Promise<Lease[]> {
  const values = [limit, lease, provider];
  const rows = await (kind === undefined
    ? database.query<sql.LeaseRow>(sql.claimDeliveries, values)
    : database.query<sql.LeaseRow>(sql.claimDeliveriesOfKind, [...values, kind]));
  if (rows.length < limit) await database.query(sql.moveExhaustedToDeadLetters, [provider]);
  return rows.sort((a, b) => a.received_at.getTime() - b.received_at.getTime()).map(leaseOf);
}

const sliceBytes = 256 * 1024;

/** The body of a delivery, read in slices. @throws if it no longer exists */
export async function readBody(database: Queryable, held: Pick<Lease, 'id' | 'body_bytes'>): Promise<Buffer> {
  const rows = await database.query<{ slice: Buffer }>(sql.selectBodySlices, [held.id, sliceBytes]);
  const [first] = rows;
  if (first === undefined && held.body_bytes > 0) throw new Error('the delivery is gone');
  return rows.length === 1 && first !== undefined
    ? first.slice
    : Buffer.concat(rows.map(({ slice }) => slice));
}

async function stateOf(database: Database, id: string): Promise<DeliveryState | null> {
  return (
    (await firstRow<{ state: DeliveryState['state']; answer: unknown }>(database, sql.selectAnswer, [id])) ??
    null
  );
}

function leaseOf(row: sql.LeaseRow): Lease {
  return {
    id: row.id,
    kind: row.kind,
    attempt: row.attempts,
    crashes: row.crashes,
    received_ms: row.received_at.getTime(),
    isRetry: row.attempts > 1 || row.replayed_at !== null,
    body_bytes: row.body_bytes,
    headers: row.headers,
  };
}

function jsonOrNull(answer: unknown): string | null {
  return answer === undefined ? null : JSON.stringify(answer);
}
