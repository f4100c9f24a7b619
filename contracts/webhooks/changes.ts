import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { incidentReasons } from '../../domain/freshness/incident.ts';
import { CursorParameter, limitUpTo } from '../../domain/page.ts';
import { TimeParameter } from '../../domain/time/time.ts';
import { repeated, SeriesTypeName, Timestamp, UserId } from '../../domain/wire.ts';
import { ProjectId } from '../fields.ts';
import { onUserErased } from '../lifecycle.ts';
import { EventType } from './events.ts';

/** The id of a change, a decimal number that may exceed 2^53. */
const LogId = z.string().regex(/^\d{1,19}$/);
const longestWaitSeconds = 30;
const waitReason = `must be a whole number from 0 to ${longestWaitSeconds}`;

/** A published change: an event as a webhook sends it, with its id. */
export const Change = z
  .object({
    id: z.string(),
    type: EventType,
    timestamp: Timestamp,
    data: z.looseObject({}).describe('The data of the event. `webhooks` of this document has its fields.'),
  })
  .meta({ id: 'Change', description: 'A change. Its `data` has the fields of the webhook of its type.' });

/** A page of the change feed. There is always a cursor: the last page returns where to continue. */
export const ChangePage = z
  .object({
    data: z.array(Change),
    pagination: z.object({ next_cursor: z.string(), has_more: z.boolean() }).meta({
      id: 'ChangePagination',
      description: '`next_cursor` is always set: after the last change it continues with later ones.',
    }),
  })
  .meta({ id: 'ChangePage' });

/** The change feed. */
export const changeActions = {
  changes: action({
    summary: 'Read the change feed, oldest first',
    description:
      'Returns every change at least once, those of a user in the order of `sequence`. Without `cursor` it starts with the oldest change that is kept (CHANGE_RETENTION_DAYS). Store `next_cursor` after a page was processed, and continue with it.',
    params: z.object({
      cursor: CursorParameter.describe('`next_cursor` of an earlier response to the same query.'),
      since: TimeParameter.optional().describe(
        'Without `cursor`, starts with the first change that was published at or after this time, instead of the oldest one. With `cursor` it is ignored.',
      ),
      user_id: UserId.optional().describe('Only changes of this user.'),
      types: repeated(EventType, 100)
        .optional()
        .describe('Only changes of these types: `types=a&types=b`, `types[]=a&types[]=b` or `types=a,b`.'),
      limit: limitUpTo(1000, 100),
      wait_seconds: z
        .union([
          z.number(),
          z
            .string()
            .regex(/^\d{1,2}$/, waitReason)
            .transform(Number),
        ])
        .pipe(z.int(waitReason).min(0, waitReason).max(longestWaitSeconds, waitReason))
        .default(0)
        .describe(
          'If there is no change, the response waits this long for one, 0 to 30 seconds. Default: 0. It may be empty earlier.',
        ),
    }),
    returns: ChangePage,
    http: {
      method: 'GET',
      path: '/changes',
      access: 'changes.read',
      tag: 'Changes',
      userFilter: true,
      waits: 'wait_seconds',
      failures: ['CURSOR_EXPIRED'],
    },
    timeoutMs: 40_000,
  }),
  /** What the change log says of connections and of data of providers, in the order of ids. `last_id` is where to go on. */
  arrivals: action({
    summary: 'List changes of connections and of data after an id',
    params: z.object({ after: LogId, limit: z.int().min(1).max(1000) }),
    returns: z.object({
      changes: z.array(
        z.object({
          project_id: z.string(),
          user_id: z.string(),
          type: z.string(),
          provider: z.string(),
          connection_id: z.string().nullable(),
          /** The series type, or the kind of the score. */
          detail: z.string().nullable(),
          historical: z.boolean(),
          last_ms: z.number().nullable(),
          recorded_ms: z.number(),
        }),
      ),
      last_id: LogId,
      has_more: z.boolean(),
    }),
    idempotent: true,
  }),
  /** What the change log says of data that insights are made of, in the order of ids. `last_id` is where to go on. */
  dataChanges: action({
    summary: 'List changes of data after an id, with the days or spans that they concern',
    params: z.object({
      after: LogId,
      limit: z.int().min(1).max(1000),
      series: z.array(SeriesTypeName).max(100),
    }),
    returns: z.object({
      changes: z.array(
        z.object({
          id: LogId,
          user_id: z.string(),
          /** The local day of a summary. Null: the span counts; without one the change concerns all days. */
          date: z.string().nullable(),
          first_ms: z.number().nullable(),
          last_ms: z.number().nullable(),
          historical: z.boolean(),
        }),
      ),
      last_id: LogId,
      has_more: z.boolean(),
    }),
    idempotent: true,
  }),
  /**
   * What may have changed of a user since an instant, by local day or span: null for `series` is a record. Null for `spans`: the
   * log does not reach back so far, or has too many changes, so that everything may have changed.
   */
  changedSpans: action({
    summary: 'List the spans of a user that changed since an instant',
    params: z.object({ user_id: UserId, since_ms: z.number() }),
    returns: z.object({
      spans: z
        .array(
          z.object({
            series: z.string().nullable(),
            date: z.string().nullable(),
            first_ms: z.number().nullable(),
            last_ms: z.number().nullable(),
          }),
        )
        .nullable(),
    }),
    idempotent: true,
  }),
  /** Publishes the start or the end of an incident to projects, once. */
  publishIncident: action({
    summary: 'Publish the start or the end of an incident of a provider',
    params: z.object({
      incident_id: z.uuid(),
      action: z.enum(['started', 'ended']),
      provider: z.string().max(40),
      reason: z.enum(incidentReasons),
      projects: z.array(ProjectId).max(10_000),
    }),
    returns: z.object({ published: z.int() }),
    idempotent: true,
  }),
  forgetProject: action({
    summary: 'Delete the endpoints of a project that is deleted',
    params: z.object({ project_id: ProjectId }),
    returns: z.object({ deleted: z.int() }),
    idempotent: true,
  }),
  forgetUser: onUserErased(
    'Erase the changes and messages of a deleted user, but the change that reports the deletion',
  ),
};

export type Change = z.infer<typeof Change>;
export type ChangePage = z.infer<typeof ChangePage>;
