import type { Queryable } from './database.ts';

/** What a round of questions found out. */
interface Position {
  /** The system's identifier and timeline: of another database, or of a diverged one, nothing is comparable. */
  readonly identity: string;
  readonly position: string;
}

interface ReplicaPosition extends Position {
  /** Whether everything that was received has been replayed. */
  readonly has_all: boolean;
}

// A commit is answered after it was flushed, so all that was answered before this statement lies before this position.
const ofPrimary = `
  select system_identifier || ' ' || substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8) as identity,
    pg_current_wal_flush_lsn()::text as position
  from pg_control_system()`;

// A promoted replica returns no row: it is read as the primary.
const ofReplica = `
  select system_identifier || ' ' || lpad(upper(to_hex(greatest(timeline_id, min_recovery_end_timeline))), 8, '0') as identity,
    pg_last_wal_replay_lsn()::text as position,
    pg_last_wal_replay_lsn() >= coalesce(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())
      and not exists (select from pg_stat_wal_receiver) as has_all
  from pg_control_system(), pg_control_checkpoint(), pg_control_recovery() where pg_is_in_recovery()`;

const tries = 5;
const answerMs = 250;
const pauseMs = { first: 1000, longest: 4000 } as const;

/**
 * Decides whether a replica has all that was answered so far. Each question begins after the call, and calls share it:
 * under load a round of two small statements serves many reads. A replica that is late, or does not answer within 250 ms, is
 * left alone for a second, and for longer each time up to 4 s.
 */
export class ReplicaGate {
  readonly #primary: Queryable;
  readonly #replica: Queryable;
  #running: Promise<boolean> | null = null;
  #next: Promise<boolean> | null = null;
  #avoidedUntil = Number.NEGATIVE_INFINITY;
  #pauseMs: number = pauseMs.first;

  constructor(primary: Queryable, replica: Queryable) {
    this.#primary = primary;
    this.#replica = replica;
  }

  /** Whether a read that begins now may use the replica. */
  isFresh(): Promise<boolean> {
    if (performance.now() < this.#avoidedUntil) return Promise.resolve(false);
    if (this.#running === null) return this.#begin();
    this.#next ??= this.#running.then(() => this.#begin());
    return this.#next;
  }

  /** Sends reads to the primary for a while. */
  avoid(): void {
    this.#avoidedUntil = performance.now() + this.#pauseMs;
    this.#pauseMs = Math.min(pauseMs.longest, this.#pauseMs * 2);
  }

  #begin(): Promise<boolean> {
    this.#next = null;
    const round = withinTime(this.#ask());
    this.#running = round;
    void round.then((isFresh) => {
      if (this.#running === round) this.#running = null;
      if (isFresh) this.#pauseMs = pauseMs.first;
      else this.avoid();
    });
    return round;
  }

  async #ask(): Promise<boolean> {
    const [asked, first] = await Promise.all([
      this.#primary.query<Position>(ofPrimary).catch(() => null),
      this.#replica.query<ReplicaPosition>(ofReplica),
    ]);
    let [replica] = first;
    // Without a primary nothing is written. The replica has what it received, which a promotion would keep.
    if (asked === null) return replica?.has_all === true;
    const [primary] = asked;
    if (primary === undefined) return false;
    for (let n = 1; replica !== undefined && replica.identity === primary.identity; n++) {
      if (orderOf(replica.position) >= orderOf(primary.position)) return true;
      if (n === tries) return false;
      [replica] = await this.#replica.query<ReplicaPosition>(ofReplica);
    }
    return false;
  }
}

// A server that stands still keeps its connections open: the question would wait for the time limit of a statement.
function withinTime(asked: Promise<boolean>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const late = setTimeout(() => resolve(false), answerMs);
  asked
    .catch(() => false)
    .then((isFresh) => resolve(isFresh))
    .finally(() => clearTimeout(late));
  return promise;
}

function orderOf(position: string): bigint {
  const [high = '', low = ''] = position.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}
