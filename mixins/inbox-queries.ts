import type { Statement } from './database.ts';

/** SQL of the inbox. All times are the database's, so that machines whose clocks differ agree on a lease. */

/** A delivery that its caller holds until the lease ends; the body is read when its turn comes. */
export interface LeaseRow {
  id: string;
  kind: string;
  attempts: number;
  received_at: Date;
  replayed_at: Date | null;
  body_bytes: number;
  authenticated: boolean;
  headers: Record<string, string>;
}

const lease = `d.id, d.kind, d.attempts, d.received_at, d.replayed_at, octet_length(d.body) as body_bytes,
  d.authenticated, d.headers`;

// Already leased to the call that stores it (attempt 1), or a worker would claim it at the same time.
export const insertDelivery: Statement = {
  name: 'inbox.insert',
  text: `
    insert into deliveries.delivery
      (provider, kind, headers, body, priority, attempts, run_at, authenticated, sender, received_bytes)
    values ($1, $2, $3, $4, $5, 1, now() + $6 * interval '1 ms', $7, $8, $9)
    returning id`,
};

// The call that stored a delivery begins to work on it, once: a second call finds it in state working.
export const takeDelivery: Statement = {
  name: 'inbox.take',
  text: `
    update deliveries.delivery d set state = 'working', run_at = now() + $3 * interval '1 ms'
    where id = $1 and provider = $2 and state = 'ready' and attempts = 1 and error is null and run_at > now()
    returning ${lease}`,
};

// Attempts are counted here, at the claim. octet_length reads the size from the row, not the body.
const claim = (name: string, due: string): Statement => ({
  name,
  text: `
    with due as (
      select id from deliveries.delivery
      where ${due} and state in ('ready', 'working') and run_at <= now() and attempts < max_attempts
      order by priority, run_at limit $2 for update skip locked)
    update deliveries.delivery d
    set state = 'working', attempts = attempts + 1, run_at = now() + $3 * interval '1 ms'
    from due where d.id = due.id
    returning ${lease}, d.priority`,
});

/** Leases due deliveries of a provider, live ones first. */
export const claimDeliveries = claim('inbox.claim', 'provider = $1');
/** The same of one kind only. */
export const claimDeliveriesOfKind = claim('inbox.claim_kind', 'provider = $1 and kind = $4');

// What ended its last lease without an outcome killed its worker each time.
export const moveExhaustedToDeadLetters: Statement = {
  name: 'inbox.bury',
  text: `
    update deliveries.delivery
    set state = 'dead', done_at = now(), error = coalesce(error, 'LEASE_EXPIRED')
    where id in (
      select id from deliveries.delivery
      where provider = $1 and state in ('ready', 'working') and run_at <= now() and attempts >= max_attempts
      limit 100 for update skip locked)
    returning id`,
};

/** Keeps a lease alive for whoever holds it still. */
export const extendLease: Statement = {
  name: 'inbox.extend',
  text: `
    update deliveries.delivery set run_at = now() + $3 * interval '1 ms'
    where id = $1 and attempts = $2 and state = 'working' returning id`,
};

// Slices: a body of 100 MB in one answer would stand in memory three times over, as text in hexadecimal, and keep
// the event loop while it is read. All of them in one statement over the body as it was unpacked once: a statement
// each, of which every one unpacks all that comes before its slice, took 5.1-7.4 s for 100 MB, this 2.5 s.
export const selectBodySlices: Statement = {
  name: 'inbox.body_slices',
  text: `
    select substring(unpacked.body from start for $2) as slice
    from (select body || ''::bytea as body from deliveries.delivery where id = $1 offset 0) unpacked
    cross join lateral generate_series(1, octet_length(unpacked.body), $2::int) start
    order by start`,
};

/** Marks a delivery done, fenced by its attempt. */
export const finishDelivery: Statement = {
  name: 'inbox.finish',
  text: `
    update deliveries.delivery set state = 'done', done_at = now(), answer = $3, error = null, authenticated = authenticated or $4
    where id = $1 and attempts = $2 and state = 'working' returning state`,
};

/** Keeps the answer of a delivery that is still in work, fenced by its attempt. */
export const keepAnswer: Statement = {
  name: 'inbox.keep_answer',
  text: `
    update deliveries.delivery set answer = $3
    where id = $1 and attempts = $2 and state = 'working' returning state`,
};

// The last attempt that fails makes it dead; before that it waits.
export const retryDelivery: Statement = {
  name: 'inbox.retry',
  text: `
    update deliveries.delivery
    set state = case when attempts < max_attempts then 'ready' else 'dead' end,
        done_at = case when attempts < max_attempts then null else now() end,
        run_at = now() + $3 * interval '1 ms', error = $4, answer = coalesce($5, answer)
    where id = $1 and attempts = $2 and state = 'working' returning state`,
};

// A stop is not the delivery's fault: it gets another attempt. The number itself never comes back: it is the fence.
export const handBackDelivery: Statement = {
  name: 'inbox.hand_back',
  text: `
    update deliveries.delivery set state = 'ready', run_at = now(), max_attempts = max_attempts + 1
    where id = $1 and attempts = $2 and state = 'working' returning state`,
};

/** Buries a delivery, fenced by its attempt. */
export const failDelivery: Statement = {
  name: 'inbox.fail',
  text: `
    update deliveries.delivery
    set state = 'dead', done_at = now(), error = $3, answer = coalesce($4, answer)
    where id = $1 and attempts = $2 and state = 'working' returning state`,
};

/** Where a delivery stands, and what it is answered with. */
export const selectAnswer: Statement = {
  name: 'inbox.answer',
  text: 'select state, answer from deliveries.delivery where id = $1',
};

// Over the index of what is open.
export const countWaiting: Statement = {
  name: 'inbox.waiting',
  text: `
    select count(*)::int as n from (
      select from deliveries.delivery where provider = $1 and state in ('ready', 'working') limit $2) open`,
};
