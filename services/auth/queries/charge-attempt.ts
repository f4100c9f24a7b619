import type { Queryable, Statement } from '../../../mixins/database/database.ts';

/** The subject of a count, its limit and the length of its window. */
export interface AttemptWindow {
  readonly subject: string;
  readonly limit: number;
  readonly seconds: number;
}

/** A counted attempt; `started_at` identifies its window, `reset` is the end of the window in Unix seconds. */
export interface ChargedAttempt {
  readonly count: number;
  readonly started_at: string;
  readonly reset: number;
}

const running = `held.started_at between excluded.started_at - $3 * interval '1 s'
  and excluded.started_at + $3 * interval '1 s'`;

// The row lock orders all attempts of one subject over all gateways and auth nodes.
const charge: Statement = {
  name: 'auth.charge_attempt',
  text: `
    insert into auth.attempt_window as held (subject, started_at, count)
    values ($1, clock_timestamp(), 1)
    on conflict (subject) do update set
      count = case when ${running} then held.count + 1 else 1 end,
      started_at = case when ${running} then held.started_at else excluded.started_at end
    where held.count < $2 or not (${running})
    returning count, started_at::text,
      ceil(extract(epoch from started_at + $3 * interval '1 s'))::float8 as reset`,
};

/** Counts an attempt; null if the limit of its window is reached. */
export async function chargeAttempt(
  database: Queryable,
  { subject, limit, seconds }: AttemptWindow,
): Promise<ChargedAttempt | null> {
  const [row] = await database.query<ChargedAttempt>(charge, [subject, limit, seconds]);
  return row ?? null;
}

/** The end of a window that is full, in Unix seconds; now if it has ended meanwhile. */
export async function selectWindowEnd(
  database: Queryable,
  { subject, seconds }: AttemptWindow,
): Promise<number> {
  const [row] = await database.query<{ reset: number }>(
    `select ceil(extract(epoch from started_at + $2 * interval '1 s'))::float8 as reset
     from auth.attempt_window where subject = $1`,
    [subject, seconds],
  );
  return row?.reset ?? Math.ceil(Date.now() / 1000);
}

/** Refunds an attempt that did not fail, if its window has not ended. */
export async function refundAttempt(
  database: Queryable,
  { subject }: AttemptWindow,
  { started_at }: ChargedAttempt,
): Promise<void> {
  await database.query(
    `update auth.attempt_window set count = greatest(count - 1, 0)
     where subject = $1 and started_at = $2::timestamptz`,
    [subject, started_at],
  );
}
