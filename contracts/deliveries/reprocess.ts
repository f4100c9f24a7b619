import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { TimeParameter } from '../../domain/time/time.ts';
import { Timestamp } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';

const Count = z.int().nonnegative();
const RunId = z.uuid('must be a UUID').describe('The `id` of a run, from `POST /deliveries/reprocess`.');
const path = '/reprocess-runs/:run_id';

/** A run of kept deliveries through the current normalisers. */
export const Reprocess = z
  .object({
    id: z.string(),
    provider: ProviderName,
    from: Timestamp.nullable(),
    status: z.enum(['running', 'done', 'cancelled']).meta({ id: 'ReprocessStatus' }),
    normaliser_version: z.int().describe('The version of the normalisers that the run began with.'),
    deliveries: z.object({
      total: Count.describe('Counted when the run began.'),
      done: Count,
      failed: Count.describe('Given up after five attempts.'),
    }),
    created_at: Timestamp,
    finished_at: Timestamp.nullable(),
  })
  .meta({
    id: 'Reprocess',
    description: 'A run of kept deliveries through the current normalisers.',
  });

/** Processing kept deliveries again. */
export const reprocessActions = {
  startReprocess: action({
    summary: 'Process kept deliveries again with the current normalisers',
    description:
      'Repairs what an earlier version of the normalisers made of the deliveries that are still kept: each is processed as when it arrived, the oldest first, and replaces its own records. Records that the current version no longer makes are removed; samples are replaced, and those that it no longer makes stay. A newer version of an item is never replaced by an older one, and data of erased users is not stored. Users who connected the account after a delivery arrived receive none of its data. Runs in the background; a request that is running is not started again: its run is returned. Changes are announced as historical. Returns 409 for a provider whose deliveries contain no data: a backfill reads its data again.',
    params: z
      .object({
        provider: ProviderName,
        from: TimeParameter.optional().meta({
          description: 'Deliveries that arrived at this time or later. Default: all that are kept.',
          example: '2026-01-01',
        }),
      })
      .meta({ id: 'StartReprocessRequest' }),
    returns: Reprocess,
    http: {
      method: 'POST',
      path: '/deliveries/reprocess',
      access: 'operations',
      status: 202,
      tag: 'Operations',
      audit: 'delivery.reprocess_started',
      failures: ['REPROCESS_UNSUPPORTED'],
    },
  }),
  reprocessStatus: action({
    summary: 'Get a run of kept deliveries through the current normalisers',
    params: z.object({ run_id: RunId }),
    returns: Reprocess,
    http: { method: 'GET', path, access: 'operations', tag: 'Operations' },
  }),
  cancelReprocess: action({
    summary: 'Cancel a run of kept deliveries',
    description: 'What was processed stays as it is. A run that has ended is unchanged.',
    params: z.object({ run_id: RunId }),
    returns: Reprocess,
    http: {
      method: 'DELETE',
      path,
      access: 'operations',
      tag: 'Operations',
      audit: 'delivery.reprocess_cancelled',
    },
  }),
};

export type Reprocess = z.infer<typeof Reprocess>;
