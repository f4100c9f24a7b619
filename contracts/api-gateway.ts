import { z } from 'zod';
import { action, contract, Nothing } from '../domain/contract.ts';
import { RangeEnd, RangeStart, TimeParameter } from '../domain/time/time.ts';
import { repeated, UserId } from '../domain/wire.ts';
import { Health } from './fields.ts';
import { onUserErased } from './lifecycle.ts';
import { Resolution, Sample, TypesParameter } from './timeseries/schemas.ts';
import { workoutStreamActions } from './workout-streams.ts';

/** The kinds of lines of an export, in its order. */
export const exportKinds = [
  'user',
  'connection',
  'consent',
  'route_privacy',
  'workout',
  'workout_track',
  'sleep',
  'day',
  'day_values',
  'score',
  'other',
  'sample',
  'audit',
  'access',
] as const;

/** One line of an export. Its `kind` determines its fields. The last line is `end` with the number of lines before it. */
export const ExportLine = z.looseObject({ kind: z.enum([...exportKinds, 'end']) }).meta({ id: 'ExportLine' });

/** The HTTP gateway: health, readiness, streamed exports and downloads. */
export const apiGateway = contract('api-gateway', {
  health: action({
    summary: 'Check that the gateway runs',
    params: Nothing,
    returns: Health,
    http: { method: 'GET', path: '/health', access: 'public', tag: 'Operations', unlimited: true },
  }),
  export: action({
    summary: 'Export all data of a user as JSON lines',
    description:
      'Streams the user, connections (without tokens), consents, the privacy of routes, workouts with their details, the tracks of workouts in parts of at most 1,800 points, sleep sessions, day totals, scores, other events, samples by series (those that were measured in an interval have `end_time` too), the audit entries of the user, and who read data of the user. The last line is `{"kind": "end", "lines": n}`. An export without this line is incomplete.',
    params: z.object({
      user_id: UserId,
      since: TimeParameter.optional().describe(
        'Returns only events, samples and audit entries at or after this time, day totals from its UTC date on, and reads from its hour on. The time is that of the measurement, not of its arrival.',
      ),
      kinds: repeated(z.enum(exportKinds), exportKinds.length)
        .optional()
        .describe('Returns only lines of these kinds. Default: all kinds. Ignored with `format=omh`.'),
      format: z
        .enum(['ndjson', 'omh'])
        .default('ndjson')
        .describe(
          '`ndjson`: lines as described above. `omh`: data points of Open mHealth, each with a header of IEEE 1752.1, of what has a schema; docs/fhir lists it. No line marks the end.',
        ),
    }),
    returns: ExportLine,
    http: {
      method: 'GET',
      path: '/users/:user_id/export',
      access: 'data.export',
      reads: 'export',
      tag: 'Data',
      stream: ['ndjson'],
      audit: 'user.exported',
    },
  }),
  download: action({
    summary: 'Download all samples of a range, as JSON lines or CSV',
    description:
      'Streams the samples of `GET /users/{user_id}/timeseries` in the same order, without pages. The range may have any length. No line marks the end. A download that fails is cut off, so that the HTTP client reports an error.',
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
          '`ndjson`: one sample per line, as in a page. `csv`: a table with the columns timestamp, type, value, unit, provider, device and recording_method. Names that a spreadsheet would interpret as a formula are prefixed with an apostrophe.',
        ),
    }),
    returns: Sample,
    http: {
      method: 'GET',
      path: '/users/:user_id/timeseries/download',
      access: 'data.read',
      reads: 'timeseries',
      tag: 'Data',
      stream: ['ndjson', 'csv'],
      audit: 'user.exported',
    },
  }),
  ...workoutStreamActions,
  ready: action({
    summary: 'Check that all services and the database respond',
    description: 'Returns 503 while one of them is unavailable, and after a shutdown has begun.',
    params: Nothing,
    returns: z
      .object({ status: z.enum(['ok', 'unavailable']), services: z.record(z.string(), z.boolean()) })
      .meta({ id: 'Readiness' }),
    http: { method: 'GET', path: '/ready', access: 'public', tag: 'Operations', unlimited: true },
  }),
  forgetUser: onUserErased('Erase the answers kept under an Idempotency-Key of a deleted user'),
});

export type ExportKind = (typeof exportKinds)[number];
export type ExportLine = z.infer<typeof ExportLine>;
