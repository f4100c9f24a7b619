import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { Timestamp } from '../../domain/wire.ts';
import { byProvider, ProviderName } from '../../providers/all.ts';

const Count = z.int().nonnegative();
const Counts = z.array(Count);

/** The last hour by minutes, or the last day by ten minutes. */
export const ReceivedPeriod = z.enum(['hour', 'day']).meta({ id: 'ReceivedPeriod' });

/** What one provider sent, by time. */
const ReceivedColumns = z
  .object({
    deliveries: Counts.describe('Webhook requests that were stored.'),
    records: Counts.describe('Items that were stored new or replaced an older version.'),
    samples: Counts.describe('Samples that were written.'),
  })
  .meta({ id: 'ReceivedColumns' });

/** What was received from all providers, by time. */
export const Received = z
  .object({
    period: ReceivedPeriod,
    start_time: Timestamp.describe('The start of the first bucket.'),
    bucket_seconds: z.int().describe('The length of a bucket: 60 or 600.'),
    providers: z.object(byProvider(() => ReceivedColumns)),
  })
  .meta({
    id: 'Received',
    description:
      'What was received, a column of equal length for each count. The last bucket is the current one.',
  });

/** Counts of received data, for operators. */
export const receivedActions = {
  received: action({
    summary: 'Count received data by time and provider',
    description:
      'The last hour in minutes, or the last day in steps of ten minutes, over all users and processes. Processes report every 5 seconds. A process that dies loses the counts since its last report.',
    params: z.object({
      period: ReceivedPeriod.default('hour').describe('`hour`: by minutes; `day`: by ten minutes.'),
    }),
    returns: Received,
    http: { method: 'GET', path: '/status/received', access: 'status.read', tag: 'Operations' },
  }),
  /** Stores what a process received. The counts are those of whole minutes, so a call may be repeated. */
  noteReceived: action({
    summary: 'Record what a process received, by minute',
    params: z.object({
      process: z.uuid(),
      counts: z
        .array(
          z.object({
            provider: ProviderName,
            minute_ms: z.int(),
            deliveries: Count,
            records: Count,
            samples: Count,
          }),
        )
        .max(1000),
    }),
    returns: z.object({ noted: z.literal(true) }),
    idempotent: true,
  }),
};

export type Received = z.infer<typeof Received>;
export type ReceivedPeriod = z.infer<typeof ReceivedPeriod>;
