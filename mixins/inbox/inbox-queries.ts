import pg from 'pg';
import type { Statement } from '../database/database.ts';
import { claimStatement, fencedWrites, type JobTable } from '../jobs/job-table.ts';

/** SQL of the inbox. All times are those of the database, so that machines with different clocks agree on a lease. */

/** A delivery that the caller holds until its lease ends. The body is read when the work begins. */
export interface LeaseRow {
  id: string;
  kind: string;
  attempts: number;
  crashes: number;
  received_at: Date;
  replayed_at: Date | null;
  body_bytes: number;
  headers: Record<string, string>;
}

const lease = `d.id, d.kind, d.attempts, d.crashes, d.received_at, d.replayed_at, octet_length(d.body) as body_bytes,
  d.headers`;

// The row is inserted with a lease for the storing call (attempt 1). Otherwise a worker could claim it at the same
// time.
export const insertDelivery: Statement = {
  name: 'inbox.insert',
  text: `
    insert into deliveries.delivery
      (provider, kind, headers, body, attempts, run_at, sender)
    values ($1, $2, $3, $4, 1, now() + $5 * interval '1 ms', $6)
    returning id`,
};

// The call that stored a delivery starts its work, once: a second call finds it in state working.
export const takeDelivery: Statement = {
  name: 'inbox.take',
  text: `
    update deliveries.delivery d set state = 'working', run_at = now() + $3 * interval '1 ms'
    where id = $1 and provider = $2 and state = 'ready' and attempts = 1 and error is null and run_at > now()
    returning ${lease}`,
};

const table: JobTable = {
  name: 'inbox',
  table: 'deliveries.delivery',
  key: { id: 'uuid' },
  attempt: 'attempts',
  // A lease that expired in work belonged to a process that ended, or stood still.
  lease: "crashes = j.crashes + (j.state = 'working')::int, state = 'working'",
  isLeased: "state = 'working'",
};
const claim = (name: string, which: string, parameters: number): Statement =>
  claimStatement(table, {
    name,
    parameters,
    due: `
      select id from deliveries.delivery
      where ${which} and state in ('ready', 'working') and run_at <= now() and attempts < max_attempts
        and not (state = 'working' and crashes >= 2)
      order by priority, run_at limit $1 for update skip locked`,
    returning: lease.replaceAll('d.', 'j.'),
  });

/** Leases due deliveries of a provider (`$3`), in the order of the index: all have the same priority. */
export const claimDeliveries = claim('claim', 'provider = $3', 3);
/** As `claimDeliveries`, for one kind (`$4`) only. */
export const claimDeliveriesOfKind = claim('claim_kind', 'provider = $3 and kind = $4', 4);

/** SQL that is true while deliveries of a provider, or of one of its kinds, may be due, or have no attempts left. */
export function isDue(provider: string, kind: string | undefined): string {
  const ofKind = kind === undefined ? '' : `and kind = ${pg.escapeLiteral(kind)}`;
  return `exists (select from deliveries.delivery where provider = ${pg.escapeLiteral(provider)} ${ofKind}
    and state in ('ready', 'working') and run_at <= now())`;
}

// A delivery whose last lease expired without an outcome probably crashed its worker each time; the second and third time it ran
// alone.
export const moveExhaustedToDeadLetters: Statement = {
  name: 'inbox.bury',
  text: `
    update deliveries.delivery
    set state = 'dead', done_at = now(), error = coalesce(error, 'LEASE_EXPIRED')
    where id in (
      select id from deliveries.delivery
      where provider = $1 and state in ('ready', 'working') and run_at <= now()
        and (attempts >= max_attempts or state = 'working' and crashes >= 2)
      limit 100 for update skip locked)
    returning id`,
};

// Read in slices: a body of 100 MB in one answer would take three times its size in memory, as hexadecimal text, and
// block the event loop. One statement returns all slices, so that the body is decompressed once: 2.5 s for 100 MB. One
// statement per slice decompresses everything before its slice again and took 5.1-7.4 s.
export const selectBodySlices: Statement = {
  name: 'inbox.body_slices',
  text: `
    select substring(unpacked.body from start for $2) as slice
    from (select body || ''::bytea as body from deliveries.delivery where id = $1 offset 0) unpacked
    cross join lateral generate_series(1, octet_length(unpacked.body), $2::int) start
    order by start`,
};

/** Writes of the holder of a delivery, fenced by its attempt. The parameters of a change begin at `$3`. */
const { extend, update } = fencedWrites(table);

export { extend };

/** Marks a delivery done. */
export const finishDelivery = update('finish', `state = 'done', done_at = now(), answer = $3, error = $4`);

// A failure of the last attempt makes the delivery dead. An earlier failure makes it wait.
export const retryDelivery = update(
  'retry',
  `state = case when attempts < max_attempts then 'ready' else 'dead' end,
    done_at = case when attempts < max_attempts then null else now() end,
    run_at = now() + $3 * interval '1 ms', error = $4, answer = coalesce($5, answer)`,
  'state',
);

// A stop does not count as an attempt: the delivery gets one more. The attempt number never decreases, because it is
// the fence.
export const handBackDelivery = update(
  'hand_back',
  "state = 'ready', run_at = now(), max_attempts = max_attempts + 1",
);

/** Moves a delivery to the dead letters. */
export const failDelivery = update(
  'fail',
  "state = 'dead', done_at = now(), error = $3, answer = coalesce($4, answer)",
);

/** The state and the answer of a delivery. */
export const selectAnswer: Statement = {
  name: 'inbox.answer',
  text: 'select state, answer from deliveries.delivery where id = $1',
};

// Uses the index of open deliveries.
export const countWaiting: Statement = {
  name: 'inbox.waiting',
  text: `
    select count(*)::int as n from (
      select from deliveries.delivery where provider = $1 and state in ('ready', 'working') limit $2) open`,
};
