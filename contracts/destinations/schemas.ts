import { z } from 'zod';
import { recordKinds } from '../../domain/destinations/columns.ts';
import { SeriesTypeName, Text, Timestamp } from '../../domain/wire.ts';

/** The kinds of destinations. */
const destinationKinds = ['s3', 'jetstream', 'postgres'] as const;
export const DestinationKind = z.enum(destinationKinds).meta({
  id: 'DestinationKind',
  description: '`s3`: Parquet files in a bucket; `jetstream`: messages in a NATS stream; `postgres`: tables.',
});
export type DestinationKind = z.infer<typeof DestinationKind>;

/** The id of a destination in a path. */
export const DestinationId = z
  .uuid('must be a UUID')
  .transform((id) => id.toLowerCase())
  .describe('The `id` of a destination, from `GET /destinations`.');

/** A series type or a kind of records. */
export const DestinationType = z.union([z.enum(recordKinds), SeriesTypeName]).meta({
  id: 'DestinationType',
  description: 'A kind of records or a series type.',
});
export type DestinationType = z.infer<typeof DestinationType>;

/** Settings as a caller sends them; each kind has its own, which are validated by its schema. */
const Settings = z.record(z.string(), z.unknown());

/** The fields that a destination is created with or changed by. */
export const DestinationFields = {
  description: Text.trim()
    .max(255, 'must be at most 255 characters')
    .nullable()
    .optional()
    .meta({ description: 'A note of at most 255 characters.', example: 'Warehouse' }),
  settings: Settings.meta({
    description: 'The settings of the kind, with its credentials: see the guide.',
    example: {
      endpoint: 'https://s3.eu-central-1.amazonaws.com',
      region: 'eu-central-1',
      bucket: 'health-data',
      prefix: 'pulsebus',
      access_key_id: 'AKIAIOSFODNN7EXAMPLE',
      secret_access_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    },
  }),
  types: z
    .array(DestinationType)
    .min(1, 'must name at least one type')
    .max(500)
    .transform((types) => [...new Set(types)].sort())
    .nullable()
    .optional()
    .meta({
      description: 'Null or omitted: all.',
      example: ['heart_rate', 'sleep', 'workout'],
    }),
};

/** Where the copy begins. */
export const DestinationFrom = z.enum(['beginning', 'now']).meta({
  id: 'DestinationFrom',
  description: '`now`: only what changes from now on.',
});

/** What a destination does. */
const DestinationState = z.enum(['running', 'catching_up', 'failing', 'paused']).meta({
  id: 'DestinationState',
  description:
    '`catching_up`: stored data is being copied, or more than 1,000 changes wait; `failing`: the last attempt failed and is repeated.',
});

/** Why the last attempt failed. */
const DestinationError = z
  .object({ code: z.string(), message: z.string(), at: Timestamp })
  .meta({ id: 'DestinationError', description: 'Why the last attempt failed.' });

/** A destination without its credentials. */
export const Destination = z
  .object({
    id: z.string(),
    kind: DestinationKind,
    description: z.string().nullable(),
    settings: Settings,
    types: z.array(DestinationType).nullable(),
    from: DestinationFrom,
    state: DestinationState,
    paused_reason: z.enum(['request', 'key_deleted']).nullable(),
    lag_seconds: z.int(),
    changes_behind: z.int(),
    snapshot_complete: z.boolean(),
    failing_since: Timestamp.nullable(),
    last_error: DestinationError.nullable(),
    rows_written: z.int(),
    last_commit_at: Timestamp.nullable(),
    erasures_open: z.int(),
    api_key_id: z.string().nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({
    id: 'Destination',
    description:
      'A destination without its credentials. `changes_behind` (at most 100,000) is the number of changes that are not written, `lag_seconds` the age of the oldest. `erasures_open`: deleted users who are not removed from it yet.',
  });
export type Destination = z.infer<typeof Destination>;
