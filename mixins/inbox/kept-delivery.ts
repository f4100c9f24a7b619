import { ServiceError } from '../../domain/errors.ts';
import type { Queryable, Statement } from '../database/database.ts';
import type { Job, Outcome } from './inbox-job.ts';
import { type Progress, progressOn } from './inbox-progress.ts';
import { type BodyKeys, readKeptBody, readKeptEntry, sealedEntries } from './sealed-bodies.ts';

/** A kept delivery that is not being processed, without its body. */
interface KeptDelivery {
  readonly id: string;
  readonly kind: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly received_ms: number;
  readonly body_bytes: number;
  readonly is_sealed: boolean;
}

const selected: Statement = {
  name: 'inbox.kept',
  text: `
    select id, kind, floor(extract(epoch from received_at) * 1000)::float8 as received_ms,
      coalesce(sealed_bytes, octet_length(body)) as body_bytes, sealed_bytes is not null as is_sealed, headers
    from deliveries.delivery where id = $1 and provider = $2 and state = 'done' and erased_at is null`,
};

/** Where kept deliveries are read. */
interface Kept {
  readonly database: Queryable;
  readonly config: BodyKeys;
}

/**
 * Processes a kept delivery of a provider again by `work`, which processes new ones. A delivery that is gone, erased or in work
 * again is left out. @throws SERVICE_UNAVAILABLE (503) if a service is, Error if it cannot be finished for another reason
 */
export async function reprocessKept(
  { database, config }: Kept,
  id: string,
  provider: string,
  work: (job: Job) => Promise<Outcome>,
): Promise<void> {
  const [kept] = await database.query<KeptDelivery>(selected, [id, provider]);
  if (kept === undefined) return;
  const { is_sealed: _, ...lease } = kept;
  const outcome = await work({
    ...lease,
    body: await readKeptBody(database, config, kept),
    attempt: 1,
    crashes: 0,
    isRetry: true,
    isReprocess: true,
    waited_ms: 0,
    signal: new AbortController().signal,
    progress: keptProgress({ database, config }, kept),
  });
  if (outcome.kind !== 'later') return;
  if (outcome.reason === 'SERVICE_UNAVAILABLE') throw new ServiceError(outcome.reason);
  throw new Error(`the delivery is not processed: ${outcome.reason}`);
}

// Bodies that were fetched for the delivery. Results are not kept: those of the first time stay.
function keptProgress({ database, config }: Kept, kept: KeptDelivery): Progress {
  return {
    async read() {
      const names = kept.is_sealed
        ? await sealedEntries(database, kept.id)
        : [...(await progressOn(database, { id: kept.id, attempt: 0 }).read())].flatMap(
            ([name, { hasBody }]) => (hasBody ? [name] : []),
          );
      return new Map(names.map((name) => [name, { hasBody: true, result: null }]));
    },
    readBody: (entry) => readKeptEntry(database, config, kept, entry),
    keepBody: async () => true,
    keepResult: async () => true,
  };
}
