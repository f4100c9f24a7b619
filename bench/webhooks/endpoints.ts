import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { cipherOf } from '../../mixins/provider-api/cipher.ts';
import { newSecret } from '../../services/webhooks/rules/signatures.ts';
import { encryptionKey } from '../product.ts';

/** How an endpoint answers: `ok` at once, `error` with 500, `slow` after 10 s, `silent` never. */
export type Way = 'ok' | 'error' | 'slow' | 'silent';

/** Inserts endpoints. With `types` each receives one of them, in turn. */
export async function insertEndpoints(
  pool: pg.Pool,
  origin: string,
  {
    way,
    count,
    types = [],
  }: { readonly way: Way; readonly count: number; readonly types?: readonly string[] },
): Promise<void> {
  const cipher = cipherOf({ ENCRYPTION_KEY: [encryptionKey] });
  for (let n = 0; n < count; n += 1) {
    const id = randomUUID();
    const type = types[n % Math.max(1, types.length)];
    await pool.query('insert into webhooks.endpoint (id, url, secret, event_types) values ($1, $2, $3, $4)', [
      id,
      `${origin}/${way}/${n}`,
      cipher.encrypt(newSecret(), id),
      type === undefined ? null : [type],
    ]);
  }
}

/** Deletes all endpoints and messages. */
export async function deleteEndpoints(pool: pg.Pool): Promise<void> {
  await pool.query('truncate webhooks.endpoint, webhooks.message, webhooks.attempt');
}

/** Enables the endpoints that do not answer at once, or disables them. */
export async function enableOthers(pool: pg.Pool, enabled: boolean): Promise<void> {
  await pool.query(`update webhooks.endpoint set enabled = $1 where url not like '%/ok/%'`, [enabled]);
}

const tickMs = 20;

/** Waits until nothing waits for the good endpoints. */
export async function drained(pool: pg.Pool): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(
      `select from changes.pending where due_at is not null union all
       (select from webhooks.message m join webhooks.endpoint e on e.id = m.endpoint_id and e.url like '%/ok/%'
        where m.state = 'waiting' limit 1) limit 1`,
    );
    if (rows.length === 0) return;
    await sleep(tickMs);
  }
}

/** Endpoints that were disabled automatically, with the audit entries and the events of it. */
export type Disabled = Record<'disabled' | 'audited' | 'published', number>;

const [lookEveryMs, longestMs] = [500, 60_000]; // an attempt without an answer takes 15 s

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
    const { rows } = await pool.query<Disabled>(`
      select (select count(*)::int from webhooks.endpoint where not enabled and disabled_reason = 'failing') as disabled,
        (select count(*)::int from auth.audit_entry where action = 'webhook_endpoint.disabled') as audited,
        (select count(*)::int from changes.change where type = 'webhook_endpoint.disabled') as published`);
    const [counts = { disabled: 0, audited: 0, published: 0 }] = rows;
    if (counts.disabled >= expected || performance.now() - began > longestMs) return counts;
    await sleep(lookEveryMs);
  }
}
