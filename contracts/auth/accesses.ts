import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { DataKind } from '../../domain/data-kind.ts';
import { CursorParameter, limitUpTo, pageOf } from '../../domain/page.ts';
import { TimeParameter } from '../../domain/time/time.ts';
import { Timestamp, UserId } from '../../domain/wire.ts';

/** Who read one kind of data of a user in one hour, and how often. */
export const DataAccess = z
  .object({
    hour: Timestamp.describe('The start of the hour, in UTC.'),
    actor: z
      .string()
      .describe(
        'Who read: `api_key:{key_id}`, `admin:{developer_id}`, or `user:{user_id}` for a token of the user.',
      ),
    data_kind: DataKind,
    count: z.int().describe('The number of answers that were sent.'),
  })
  .meta({
    id: 'DataAccess',
    description: 'Who read one kind of data of a user in one hour, and how often. It contains no values.',
  });

/** The most rows of one call of `noteAccesses`, which stays below the size of a bus message. */
export const mostNotedAccesses = 2000;

/** Reads that a gateway counted. */
const CountedRead = z.object({
  project_id: z.string(),
  user_id: UserId,
  actor: z.string().max(200),
  kind: DataKind,
  hour_ms: z.int(),
  count: z.int().min(1),
});

/** Who read what of a user. */
export const accessActions = {
  accesses: action({
    summary: 'List who read data of a user, newest first',
    description:
      'Each read of health values is counted by hour: by whoever held the credential (`actor`), and by the kind of data. Requests that failed are not counted. A gateway writes its counts every second, so that the newest reads may be missing, and a gateway that is killed loses those of its last second. The list is erased with its user. AUDIT_RETENTION_DAYS applies to it.',
    params: z.object({
      user_id: UserId,
      start_time: TimeParameter.optional().describe('Only hours from the one that contains this time on.'),
      end_time: TimeParameter.optional().describe('Only hours that begin before this time.'),
      cursor: CursorParameter,
      limit: limitUpTo(100),
    }),
    returns: pageOf(DataAccess).meta({ id: 'DataAccessPage' }),
    http: { method: 'GET', path: '/users/:user_id/accesses', access: 'accesses.read', tag: 'Users' },
  }),
  /**
   * Adds reads that a gateway counted. `process_id` and `sequence` name the batch: one whose sequence is not above that of the
   * last batch of the process adds nothing, so that a repeated call does not count twice.
   */
  noteAccesses: action({
    summary: 'Add reads that a gateway counted',
    params: z.object({
      process_id: z.uuid(),
      sequence: z.int().min(1),
      reads: z.array(CountedRead).min(1).max(mostNotedAccesses),
    }),
    returns: z.object({ is_new: z.boolean() }),
    idempotent: true,
  }),
};

export type DataAccess = z.infer<typeof DataAccess>;
export type CountedRead = z.infer<typeof CountedRead>;
