import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/** Endpoints that were disabled automatically, with the audit entries and the events of it. */
export interface Disabled {
  readonly disabled: number;
  readonly audited: number;
  readonly published: number;
}

const lookEveryMs = 500;
/** An attempt without an answer takes 15 s. */
const longestMs = 60_000;

/** Dates the failures of all failing endpoints five days back, makes their retries due, and waits for the rule. */
export async function disabledByRule(pool: pg.Pool, expected: number): Promise<Disabled> {
  await pool.query(
    `update webhooks.endpoint set enabled = true where not enabled and disabled_reason is null`,
  );
  const began = performance.now();
  for (;;) {
    await pool.query(
      `update webhooks.endpoint set failing_since = now() - interval '5 days' where failing_since > now() - interval '5 days'`,
    );
    await pool.query(
      `update webhooks.message m set run_at = now() from webhooks.endpoint e
       where e.id = m.endpoint_id and e.failing_since is not null and e.enabled and m.state = 'waiting' and not m.leased`,
    );
    const counts = await countDisabled(pool);
    if (counts.disabled >= expected || performance.now() - began > longestMs) return counts;
    await sleep(lookEveryMs);
  }
}

async function countDisabled(pool: pg.Pool): Promise<Disabled> {
  const { rows } = await pool.query<Disabled>(`
    select (select count(*)::int from webhooks.endpoint where not enabled and disabled_reason = 'failing') as disabled,
      (select count(*)::int from auth.audit_entry where action = 'webhook_endpoint.disabled') as audited,
      (select count(*)::int from changes.change where type = 'webhook_endpoint.disabled') as published`);
  return rows[0] ?? { disabled: 0, audited: 0, published: 0 };
}
