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
/** How long a replica is left alone first. One that is late catches up soon; one that gave no comparable answer does not. */
const firstPauseMs = { late: 20, unusable: 1000 } as const;
const longestPauseMs = 4000;

type Answer = 'fresh' | keyof typeof firstPauseMs;

/**
 * Decides whether a replica has all that was answered so far. Each question begins after the call, and calls share it:
 * under load a round of two small statements serves many reads. A replica that is late is left alone for 20 ms, and for a
 * second one that does not answer within 250 ms, or is of another timeline; for twice as long each time, up to 4 s.
 */
export class ReplicaGate {
  readonly #primary: Queryable;
  readonly #replica: Queryable;
  #running: Promise<boolean> | null = null;
  #next: Promise<boolean> | null = null;
  #avoidedUntil = Number.NEGATIVE_INFINITY;
  #pauseMs = 0;
  readonly #now: () => number;

  /** `now`: a clock in ms that only goes forward. */
  constructor(primary: Queryable, replica: Queryable, now: () => number = () => performance.now()) {
    this.#primary = primary;
    this.#replica = replica;
    this.#now = now;
  }

  /** Whether a read that begins now may use the replica. */
  isFresh(): Promise<boolean> {
    if (this.#now() < this.#avoidedUntil) return Promise.resolve(false);
    if (this.#running === null) return this.#begin();
    this.#next ??= this.#running.then(() => this.#begin());
    return this.#next;
  }

  /** Sends reads to the primary for a while. */
  avoid(why: keyof typeof firstPauseMs = 'unusable'): void {
    this.#pauseMs = Math.min(longestPauseMs, Math.max(firstPauseMs[why], this.#pauseMs * 2));
    this.#avoidedUntil = this.#now() + this.#pauseMs;
  }

  #begin(): Promise<boolean> {
    this.#next = null;
    const round = withinTime(this.#ask()).then((answer) => {
      if (this.#running === round) this.#running = null;
      if (answer === 'fresh') this.#pauseMs = 0;
      else this.avoid(answer);
      return answer === 'fresh';
    });
    this.#running = round;
    return round;
  }

  async #ask(): Promise<Answer> {
    const [asked, first] = await Promise.all([
      this.#primary.query<Position>(ofPrimary).catch(() => null),
      this.#replica.query<ReplicaPosition>(ofReplica),
    ]);
    let [replica] = first;
    // Without a primary nothing is written. The replica has what it received, which a promotion would keep.
    if (asked === null) return replica?.has_all === true ? 'fresh' : 'unusable';
    const [primary] = asked;
    if (primary === undefined) return 'unusable';
    for (let n = 1; replica !== undefined && replica.identity === primary.identity; n++) {
      if (orderOf(replica.position) >= orderOf(primary.position)) return 'fresh';
      if (n === tries) return 'late';
      [replica] = await this.#replica.query<ReplicaPosition>(ofReplica);
    }
    return 'unusable';
  }
}

// A server that stands still keeps its connections open: the question would wait for the time limit of a statement.
function withinTime(asked: Promise<Answer>): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const late = setTimeout(() => resolve('unusable'), answerMs);
  asked
    .catch((): Answer => 'unusable')
    .then(resolve)
    .finally(() => clearTimeout(late));
  return promise;
}

function orderOf(position: string): bigint {
  const [high = '', low = ''] = position.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}
