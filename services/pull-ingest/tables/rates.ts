import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { RateLimit } from '../rules/pulled.ts';

const reserve: Statement = {
  name: 'pull.reserve',
  text: 'select pull.reserve($1, $2, $3) as wait_ms',
};

/** Reserves a request in all limits, or in none. Returns the milliseconds to wait; 0: it is reserved. */
export async function reserveRequest(database: Queryable, limits: readonly RateLimit[]): Promise<number> {
  if (limits.length === 0) return 0;
  const [row] = await database.query<{ wait_ms: number }>(reserve, [
    limits.map(({ scope }) => scope),
    limits.map(({ intervalMs }) => intervalMs),
    limits.map(({ burst }) => burst),
  ]);
  return row?.wait_ms ?? 0;
}

const pause: Statement = {
  name: 'pull.pause',
  text: `
    insert into pull.rate as r (scope, paused_until) values ($1, now() + $2 * interval '1 ms')
    on conflict (scope) do update set paused_until = greatest(r.paused_until, excluded.paused_until)`,
};

/** Sends no request of a scope for `waitMs`. */
export async function pauseScope(database: Queryable, scope: string, waitMs: number): Promise<void> {
  await database.query(pause, [scope, Math.round(waitMs)]);
}

/** Deletes limits of accounts that sent no request for a day. */
export async function deleteIdleRates(database: Queryable): Promise<void> {
  await database.query(
    "delete from pull.rate where greatest(busy_until, paused_until) < now() - interval '1 day'",
  );
}
