import type { Mixin } from '../runtime/environment.ts';
import { type Database, database, type Queryable, type Statement } from './database.ts';
import { keepAtHand, takeFromHand } from './inbox-at-hand.ts';
import { type Progress, progressOn } from './inbox-progress.ts';
import * as sql from './inbox-queries.ts';
import { addStored, type StoredBytes } from './inbox-stored.ts';

/** How long a call may be silent before another takes its delivery over. */
export const leaseMs = 30_000;

/** Before history, which nobody waits for. */
export const priorities = { live: 0, history: 10 } as const;

/** What a webhook's request becomes. `headers` are the few that matter, never a credential. */
export interface NewDelivery {
  readonly provider: string;
  readonly kind: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The sender proved that it is the provider: the request came to the secret address. */
  readonly authenticated?: boolean;
  /** Whose bytes it counts among; none of anybody unless told. */
  readonly sender?: string;
  /** Whoever hands it over touches it no more: a worker of this process may take it, until `letGo`. */
  readonly handOver?: boolean;
  readonly priority?: number;
}

/** The right to work on a delivery until its lease ends; `attempt` fences off whoever held it before. */
export interface Lease {
  readonly id: string;
  readonly kind: string;
  readonly attempt: number;
  readonly received_ms: number;
  /** Not the first try: the world may have changed since the delivery came. */
  readonly again: boolean;
  readonly body_bytes: number;
  /** The delivery came to the secret address. Otherwise anybody may have sent it. */
  readonly authenticated: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** Where a delivery stands; a JSON value of its kind once there is one, so far or final. */
export interface Standing {
  readonly state: 'ready' | 'working' | 'done' | 'dead';
  readonly answer: unknown;
}

/**
 * The durable queue of deliveries. Writers of an outcome name their attempt: false (or null) tells them that the
 * lease was lost and another call holds the delivery now, or finished it.
 */
export interface Inbox {
  /** Stores a request in one committed row, leased to this call: `take` must follow within the lease. */
  receive(delivery: NewDelivery): Promise<string>;
  /** Nobody waits for a delivery any more whose body was handed over: who works on it later reads its row. */
  letGo(id: string): void;
  /** Begins the work on a delivery that was just received; null when that is somebody else's already. */
  take(provider: string, id: string, lease?: number): Promise<Lease | null>;
  /** Leases up to `limit` due deliveries, live ones first, and buries those whose attempts are used up. */
  claim(provider: string, limit: number, lease?: number, kind?: string): Promise<Lease[]>;
  extend(id: string, attempt: number, lease?: number): Promise<boolean>;
  readBody(held: Pick<Lease, 'id' | 'body_bytes'>): Promise<Buffer>;
  /** What earlier attempts reached, for the holder to go on from. */
  progressOf(held: Pick<Lease, 'id' | 'attempt'>): Progress;
  /** `authenticated`: the work verified the provider's signature. */
  finish(id: string, attempt: number, answer: unknown, authenticated?: boolean): Promise<boolean>;
  /** Keeps an answer while the work goes on; false where the lease was lost. */
  keepAnswer(id: string, attempt: number, answer: unknown): Promise<boolean>;
  /** Lets go for now: due again in `delayMs`, dead if that was the last attempt. Tells the state that came of it. */
  retryLater(id: string, attempt: number, retry: Retry): Promise<'ready' | 'dead' | null>;
  /** Lets go without blame: due at once, the attempt is given back. */
  handBack(id: string, attempt: number): Promise<boolean>;
  /** Gives up for good; an operator may replay it. */
  fail(id: string, attempt: number, reason: string, answer?: unknown): Promise<boolean>;
  /** What the delivery answers, final or so far; null while there is nothing to say. */
  answerOf(id: string): Promise<unknown>;
  /** Adds bytes that were stored, by sender, and reads the sums. */
  addStored(bytes: ReadonlyMap<string, number>): Promise<StoredBytes>;
  /** How many deliveries of a provider are not done, counted up to `most`. */
  waiting(provider: string, most: number): Promise<number>;
  /** Null when there is no such delivery. */
  standingOf(id: string): Promise<Standing | null>;
}

/** `reason` is a code, never a value of the body; `answer` is what can be said so far. */
export interface Retry {
  readonly delayMs: number;
  readonly reason: string;
  readonly answer?: unknown;
}

/** The inbox as a mixin: `uses: { inbox: inbox() }`. */
export function inbox(): Mixin<Inbox> {
  const open = database();
  const opened = new WeakMap<Inbox, Database>();
  return {
    async start(environment) {
      const pool = await open.start(environment);
      const value = inboxOn(pool);
      opened.set(value, pool);
      return value;
    },
    async stop(value) {
      const pool = opened.get(value);
      if (pool !== undefined) await open.stop(pool);
    },
  };
}

/** The inbox over a database that is open already. */
export function inboxOn(database: Database): Inbox {
  const changed = async (statement: Statement, values: unknown[]) =>
    (await database.query(statement, values)).length > 0;
  return {
    receive: (delivery) => receive(database, delivery),
    letGo: (id) => void takeFromHand(id),
    async take(provider, id, lease = leaseMs) {
      const [row] = await database.query<sql.LeaseRow>(sql.takeDelivery, [id, provider, lease]);
      return row === undefined ? null : leaseOf(row);
    },
    claim: (provider, limit, lease = leaseMs, kind) => claim(database, { provider, limit, lease, kind }),
    extend: (id, attempt, lease = leaseMs) => changed(sql.extendLease, [id, attempt, lease]),
    readBody: async (held) => takeFromHand(held.id) ?? readBody(database, held),
    progressOf: (held) => progressOn(database, held),
    finish: (id, attempt, answer, authenticated = false) =>
      changed(sql.finishDelivery, [id, attempt, JSON.stringify(answer), authenticated]),
    keepAnswer: (id, attempt, answer) => changed(sql.keepAnswer, [id, attempt, JSON.stringify(answer)]),
    async retryLater(id, attempt, { delayMs, reason, answer }) {
      const values = [id, attempt, Math.round(delayMs), reason, jsonOrNull(answer)];
      const [row] = await database.query<{ state: 'ready' | 'dead' }>(sql.retryDelivery, values);
      return row?.state ?? null;
    },
    handBack: (id, attempt) => changed(sql.handBackDelivery, [id, attempt]),
    fail: (id, attempt, reason, answer) =>
      changed(sql.failDelivery, [id, attempt, reason, jsonOrNull(answer)]),
    answerOf: async (id) => (await standingOf(database, id))?.answer ?? null,
    addStored: (bytes) => addStored(database, bytes),
    async waiting(provider, most) {
      const [row] = await database.query<{ n: number }>(sql.countWaiting, [provider, most]);
      return row?.n ?? 0;
    },
    standingOf: (id) => standingOf(database, id),
  };
}

async function receive(database: Database, delivery: NewDelivery): Promise<string> {
  const { provider, kind, headers, body, priority = priorities.live, authenticated = false } = delivery;
  const values = [
    ...[provider, kind, JSON.stringify(headers), body, priority, leaseMs, authenticated],
    ...[delivery.sender ?? null, body.length],
  ];
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

// `update … returning` promises no order, so what was claimed is put in the order of its turn again.
async function claim(database: Database, { provider, limit, lease, kind }: Claim): Promise<Lease[]> {
  await database.query(sql.moveExhaustedToDeadLetters, [provider]);
  const values = [provider, limit, lease];
  const rows = await (kind === undefined
    ? database.query<sql.LeaseRow & { priority: number }>(sql.claimDeliveries, values)
    : database.query<sql.LeaseRow & { priority: number }>(sql.claimDeliveriesOfKind, [...values, kind]));
  const turn = (a: (typeof rows)[number], b: (typeof rows)[number]) =>
    a.priority - b.priority || a.received_at.getTime() - b.received_at.getTime();
  return rows.sort(turn).map(leaseOf);
}

const sliceBytes = 256 * 1024;

/** The body of a delivery, in slices that are put together. @throws when it is gone. */
export async function readBody(database: Queryable, held: Pick<Lease, 'id' | 'body_bytes'>): Promise<Buffer> {
  const rows = await database.query<{ slice: Buffer }>(sql.selectBodySlices, [held.id, sliceBytes]);
  const [first] = rows;
  if (first === undefined && held.body_bytes > 0) throw new Error('the delivery is gone');
  return rows.length === 1 && first !== undefined
    ? first.slice
    : Buffer.concat(rows.map(({ slice }) => slice));
}

async function standingOf(database: Database, id: string): Promise<Standing | null> {
  const [row] = await database.query<{ state: Standing['state']; answer: unknown }>(sql.selectAnswer, [id]);
  return row ?? null;
}

function leaseOf(row: sql.LeaseRow): Lease {
  return {
    id: row.id,
    kind: row.kind,
    attempt: row.attempts,
    received_ms: row.received_at.getTime(),
    again: row.attempts > 1 || row.replayed_at !== null,
    body_bytes: row.body_bytes,
    authenticated: row.authenticated,
    headers: row.headers,
  };
}

function jsonOrNull(answer: unknown): string | null {
  return answer === undefined ? null : JSON.stringify(answer);
}
