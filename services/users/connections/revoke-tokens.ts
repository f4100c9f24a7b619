import type { Database } from '../../../mixins/database/database.ts';
import { keepPayload } from '../../../mixins/jobs/job-outcomes.ts';
import type { Job, JobOutcome } from '../../../mixins/jobs/job-queue.ts';
import type { Call } from '../../../runtime/environment.ts';
import type { TokenRevocation } from '../job-kinds.ts';
import { selectClient } from '../queries/provider-clients.ts';
import { isNeedless } from '../queries/token-revocations.ts';

/** Ends our access to an account at its provider, with retries for a day. The tokens are deleted with the job. */
export async function revokeTokens(
  { database, call }: { readonly database: Database; readonly call: Call },
  job: Job<TokenRevocation>,
): Promise<JobOutcome> {
  const { payload, created_at } = job;
  if (await isNeedless(database, payload, created_at)) return { kind: 'done' };
  const { provider_client_id, ...access } = payload;
  const client = provider_client_id === null ? null : await selectClient(database, provider_client_id);
  const { done, tokens } = await call('connect.revokeAccess', { ...access, client });
  if (done) return { kind: 'done' };
  if (tokens !== null) await keepPayload(database, job, { ...payload, ...tokens });
  return { kind: 'later', reason: 'NOT_REVOKED' };
}
