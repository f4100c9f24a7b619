import { z } from 'zod';
import { action, contract, Nothing } from '../domain/contract.ts';
import { RangeEnd, RangeStart, TimeParameter } from '../domain/time.ts';
import { repeated, UserId } from '../domain/wire.ts';
import { Resolution, Sample, TypesParameter } from './timeseries.ts';

/** What an export has lines of, in its order. */
export const exportKinds = [
  'user',
  'connection',
  'workout',
  'sleep',
  'day',
  'other',
  'sample',
  'audit',
] as const;

/** One line of an export, told apart by `kind`; the last one is `end` with the number of lines before it. */
export const ExportLine = z.looseObject({ kind: z.enum([...exportKinds, 'end']) }).meta({ id: 'ExportLine' });

/** The edge itself: whether it is up, and whether it should be sent requests. */
export const apiGateway = contract('api-gateway', {
  health: action({
    summary: 'Whether the gateway runs',
    params: Nothing,
    returns: z.object({ status: z.literal('ok') }).meta({ id: 'Health' }),
    http: { method: 'GET', path: '/health', access: ['public'], tag: 'Operations', unlimited: true },
    idempotent: true,
  }),
  export: action({
    summary: 'Everything that is kept of one user, one JSON value a line',
    description:
      'A stream: the user, connections (without tokens), workouts, sleep sessions, day totals, other events, samples by series, the audit entries of the user. The last line is `{"kind": "end", "lines": n}`; without it the export is not complete.',
    params: z.object({
      user_id: UserId,
      since: TimeParameter.optional().describe(
        'Only events, samples and audit entries of this time or later, and day totals from its UTC date on. It is the time that the data is about, not that of its arrival.',
      ),
      kinds: repeated(z.enum(exportKinds), exportKinds.length)
        .optional()
        .describe('Only lines of these kinds; of all kinds where it is left out.'),
    }),
    returns: ExportLine,
    http: {
      method: 'GET',
      path: '/users/:user_id/export',
      access: ['api-key', 'developer', 'sdk'],
      tag: 'Data',
      stream: ['ndjson'],
      audit: 'user.exported',
    },
  }),
  download: action({
    summary: 'Download all samples of a range, as JSON lines or CSV',
    description:
      'The samples of `GET /users/{user_id}/timeseries` in the same order, without pages: one request for a range of any length. Nothing marks the last line; a download that fails is cut off, so that the HTTP client reports an error.',
    params: z.object({
      user_id: UserId,
      start_time: RangeStart,
      end_time: RangeEnd,
      types: TypesParameter,
      resolution: Resolution.default('raw'),
      format: z
        .enum(['ndjson', 'csv'])
        .default('ndjson')
        .describe(
          '`ndjson`: one sample a line, as in a page. `csv`: a table with the columns timestamp, type, value, unit, provider and device; names that a spreadsheet would take for a formula have an apostrophe before them.',
        ),
    }),
    returns: Sample,
    http: {
      method: 'GET',
      path: '/users/:user_id/timeseries/download',
      access: ['api-key', 'developer', 'sdk'],
      tag: 'Data',
      stream: ['ndjson', 'csv'],
      audit: 'user.exported',
    },
  }),
  ready: action({
    summary: 'Whether all services and the database answer; 503 while one is away or a stop has begun',
    params: Nothing,
    returns: z
      .object({ status: z.enum(['ok', 'unavailable']), services: z.record(z.string(), z.boolean()) })
      .meta({ id: 'Readiness' }),
    http: { method: 'GET', path: '/ready', access: ['public'], tag: 'Operations', unlimited: true },
    idempotent: true,
  }),
  forgetUser: action({
    summary: 'Erase the answers kept under an Idempotency-Key for a user who is deleted',
    params: z.object({ user_id: UserId }),
    returns: z.object({ forgotten: z.int() }),
    idempotent: true,
    on: ['userErased'],
  }),
});

export type ExportKind = (typeof exportKinds)[number];
export type ExportLine = z.infer<typeof ExportLine>;
