import { z } from 'zod';
import { ServiceError } from '../../../domain/errors.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { enqueue, type JobKind } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler } from '../../../mixins/jobs/jobs.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { callAs } from '../../../runtime/environment.ts';
import {
  type ApiKeyRow,
  deleteApiKey,
  selectKeysOf,
  updateKeyDeletion,
  updateRemoval,
} from '../tables/api-keys.ts';
import { endUserTokensOf } from '../tables/families.ts';
import type { CallDeps } from './deps.ts';

const EndedKey = z.object({
  key_ids: z.array(z.uuid()).min(1),
  keep_endpoints: z.boolean(),
  actor: z.string().nullable(),
});
type EndedKey = z.infer<typeof EndedKey>;

/** Disables the webhook endpoints of a deleted key, and pauses its destinations. The job's key is the id of the API key. */
const kind: JobKind<EndedKey> = { name: 'auth.end_key', payload: EndedKey };

// The request that deletes a key does the work of the job itself. The job repeats it in case the request could not
// complete it.
const delayMs = 10_000;
const patience = { timeout: 3000, retries: 0 };

/** Enqueues the job of a deleted key. Returns its payload. */
export async function enqueueEnding(
  on: Queryable,
  { id, former_ids }: ApiKeyRow,
  keep_endpoints: boolean,
  { actor }: AuditOrigin,
): Promise<EndedKey> {
  const payload = { key_ids: [id, ...former_ids], keep_endpoints, actor };
  await enqueue(on, kind, { key: id, payload, delayMs });
  return payload;
}

/**
 * Ends what a removed member made in a project: API keys, unless they are kept by their ids, and user tokens. The entry of
 * the removal lists them. Runs in the transaction of the removal; the jobs end the endpoints of the keys.
 * @throws API_KEY_NOT_FOUND (404) for a kept key that the member did not make
 */
export async function endCredentialsOf(
  on: Queryable,
  origin: AuditOrigin,
  { project, developerId }: { readonly project: string; readonly developerId: string },
  keep: readonly string[] = [],
): Promise<readonly { readonly key: ApiKeyRow; readonly job: EndedKey | null }[]> {
  const keysOfMember = await selectKeysOf(on, project, developerId);
  if (keep.some((id) => !keysOfMember.some((key) => key.id === id)))
    throw new ServiceError('API_KEY_NOT_FOUND');
  const keys: { key: ApiKeyRow; job: EndedKey | null }[] = [];
  for (const key of keysOfMember) {
    const isKept = keep.includes(key.id);
    // A key that was rotated meanwhile is of whoever rotated it.
    if (!isKept && (await deleteApiKey(on, project, key.id)) === null) continue;
    keys.push({ key, job: isKept ? null : await enqueueEnding(on, key, false, origin) });
  }
  const idsOf = (isKept: boolean) =>
    keys.filter(({ job }) => (job === null) === isKept).map(({ key }) => key.id);
  await updateRemoval(on, project, developerId, {
    api_keys_ended: idsOf(false),
    api_keys_kept: idsOf(true),
    user_tokens_ended: await endUserTokensOf(on, project, developerId),
  });
  return keys;
}

/** The handler of the job. */
export function keyEndingHandler(deps: CallDeps): JobHandler {
  const work = async ({ payload }: { readonly payload: EndedKey }) => {
    await endKey(deps, payload);
    return { kind: 'done' } as const;
  };
  return jobHandler(kind, work, { needs: ['webhooks.endKeys', 'destinations.endKeys'] });
}

/** Disables the endpoints of a deleted key and pauses its destinations. Returns the endpoints. */
export async function endKey({ database, call }: CallDeps, { key_ids, keep_endpoints, actor }: EndedKey) {
  const ask = actor === null ? call : callAs(call, actor);
  const endpoints = await ask('webhooks.endKeys', { key_ids, keep_endpoints }, patience);
  await updateKeyDeletion(database, key_ids[0] ?? '', {
    webhook_endpoints: endpoints.map(({ id }) => id),
    keep_endpoints,
  });
  await ask('destinations.endKeys', { key_ids, keep: keep_endpoints }, patience);
  return endpoints;
}
