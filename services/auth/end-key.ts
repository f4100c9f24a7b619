import { z } from 'zod';
import type { DeletedApiKey } from '../../contracts/auth/schemas.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Database } from '../../mixins/database/database.ts';
import { enqueue, type JobKind } from '../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler } from '../../mixins/jobs/jobs.ts';
import type { AuditOrigin } from '../../runtime/audit-origin.ts';
import { type Call, callAs } from '../../runtime/environment.ts';
import { acting } from './actor.ts';
import { shownKey } from './keys.ts';
import { deleteApiKey } from './queries/change-keys.ts';
import { updateKeyDeletion } from './queries/update-key-deletion.ts';

const EndedKey = z.object({
  key_ids: z.array(z.uuid()).min(1),
  keep_endpoints: z.boolean(),
  actor: z.string().nullable(),
});
type EndedKey = z.infer<typeof EndedKey>;

/** Disables the webhook endpoints of a deleted key, and pauses its destinations. The job's key is the id of the API key. */
const kind: JobKind<EndedKey> = { name: 'auth.end_key', payload: EndedKey };

// The request that deletes a key does the work of the job. The job repeats it, for the case that it could not.
const delayMs = 10_000;
const patience = { timeout: 3000, retries: 0 };

interface Ending {
  readonly database: Database;
  readonly call: Call;
}

/**
 * Deletes an API key, disables the webhook endpoints whose address it set and pauses its destinations, also if this process ends
 * meanwhile.
 * @throws API_KEY_NOT_FOUND (404)
 */
export async function removeKey(
  { database, call, origin }: Ending & { readonly origin: AuditOrigin },
  project: string,
  { key_id, keep_endpoints }: { readonly key_id: string; readonly keep_endpoints: boolean },
): Promise<DeletedApiKey> {
  const { key, ended } = await acting(database, origin, async (on) => {
    const row = await deleteApiKey(on, project, key_id);
    if (row === null) throw new ServiceError('API_KEY_NOT_FOUND');
    const payload = { key_ids: [row.id, ...row.former_ids], keep_endpoints, actor: origin.actor };
    await enqueue(on, kind, { key: row.id, payload, delayMs });
    return { key: shownKey(row), ended: payload };
  });
  const webhook_endpoints = await endKey({ database, call }, ended).catch(() => null);
  return { ...key, webhook_endpoints };
}

/** The handler of the job. */
export function keyEndingHandler(ending: Ending): JobHandler {
  const work = async ({ payload }: { readonly payload: EndedKey }) => {
    await endKey(ending, payload);
    return { kind: 'done' } as const;
  };
  return jobHandler(kind, work, { needs: ['webhooks.endKeys', 'destinations.endKeys'] });
}

async function endKey({ database, call }: Ending, { key_ids, keep_endpoints, actor }: EndedKey) {
  const ask = actor === null ? call : callAs(call, actor);
  const endpoints = await ask('webhooks.endKeys', { key_ids, keep_endpoints }, patience);
  await updateKeyDeletion(database, key_ids[0] ?? '', {
    webhook_endpoints: endpoints.map(({ id }) => id),
    keep_endpoints,
  });
  await ask('destinations.endKeys', { key_ids, keep: keep_endpoints }, patience);
  return endpoints;
}
