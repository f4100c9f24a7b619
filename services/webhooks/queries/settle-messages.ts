import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { Outcome } from '../deliver/outcome.ts';
import type { MessageLease } from './claim-messages.ts';

/** The outcome of a leased message. */
export interface Settled {
  readonly lease: Pick<MessageLease, 'id' | 'attempt'>;
  readonly outcome: Outcome;
}

// Outcomes and attempts are written in one statement for many messages: a commit each would be the limit of deliveries.
const statement: Statement = {
  name: 'webhooks.settle',
  text: `
    with outcome as (
      select * from unnest($2::uuid[], $3::int[], $4::text[], $5::int[], $6::boolean[], $7::boolean[], $8::int[],
        $9::int[], $10::text[], $11::text[])
        o (id, attempt, state, delay_ms, is_failure, is_recorded, status, duration_ms, error, answer)),
    settled as (
      update webhooks.message m set state = o.state, leased = false, crashes = 0,
        failures = m.failures + o.is_failure::int, run_at = now() + ($1::float8 + o.delay_ms) * interval '1 ms',
        delivered_at = case when o.state = 'delivered' then now() else m.delivered_at end
      from outcome o where m.id = o.id and m.attempt = o.attempt and m.leased
      returning m.id, m.attempt),
    recorded as (
      insert into webhooks.attempt (message_id, number, status, duration_ms, error, answer)
      select s.id, s.attempt, o.status, o.duration_ms, o.error, o.answer
      from settled s join outcome o on o.id = s.id where o.is_recorded)
    select id from settled`,
};

/** Stores the outcomes of messages that the caller still holds. Returns their ids. */
export async function settleMessages(
  database: Queryable,
  all: readonly Settled[],
  aheadMs: number,
): Promise<ReadonlySet<string>> {
  const column = <T>(of: (one: Settled) => T) => all.map(of);
  const rows = await database.query<{ id: string }>(statement, [
    aheadMs,
    column(({ lease }) => lease.id),
    column(({ lease }) => lease.attempt),
    column(({ outcome }) => outcome.state),
    column(({ outcome }) => outcome.delayMs),
    column(({ outcome }) => outcome.isFailure),
    column(({ outcome }) => outcome.attempt !== null),
    column(({ outcome }) => outcome.attempt?.status ?? null),
    column(({ outcome }) => outcome.attempt?.durationMs ?? null),
    column(({ outcome }) => outcome.attempt?.error ?? null),
    column(({ outcome }) => outcome.attempt?.answer ?? null),
  ]);
  return new Set(rows.map(({ id }) => id));
}
