import { z } from 'zod';
import { action, contract, Nothing } from '../domain/contract.ts';
import { UserId } from '../domain/wire.ts';

/** One line of an export, told apart by `kind`; the last one is `end` with the number of lines before it. */
export const ExportLine = z.looseObject({
  kind: z.enum(['user', 'connection', 'workout', 'sleep', 'day', 'other', 'sample', 'audit', 'end']),
});

/** The edge itself: whether it is up, and whether it should be sent requests. */
export const apiGateway = contract('api-gateway', {
  health: action({
    summary: 'Whether the gateway runs',
    params: Nothing,
    returns: z.object({ status: z.literal('ok') }),
    http: { method: 'GET', path: '/health', access: ['public'], tag: 'Operations', unlimited: true },
    idempotent: true,
  }),
  export: action({
    summary: 'Everything that is kept of one user, one JSON value a line',
    description:
      'A stream: the user, connections (without tokens), workouts, sleep sessions, day totals, other events, samples by series, the audit entries of the user. The last line is `{"kind": "end", "lines": n}`; without it the export is not complete.',
    params: z.object({ user_id: UserId }),
    returns: ExportLine,
    http: {
      method: 'GET',
      path: '/users/:user_id/export',
      access: ['api-key', 'developer', 'sdk'],
      tag: 'Data',
      stream: 'ndjson',
      audit: 'user.exported',
    },
  }),
  ready: action({
    summary: 'Whether all services and the database answer; 503 while one is away or a stop has begun',
    params: Nothing,
    returns: z.object({ status: z.enum(['ok', 'unavailable']), services: z.record(z.string(), z.boolean()) }),
    http: { method: 'GET', path: '/ready', access: ['public'], tag: 'Operations', unlimited: true },
    idempotent: true,
  }),
  forgetUser: action({
    summary: 'Erase the answers kept under an Idempotency-Key for a user who is deleted',
    params: z.object({ user_id: UserId }),
    returns: z.object({ forgotten: z.int() }),
    idempotent: true,
  }),
});

export type ExportLine = z.infer<typeof ExportLine>;
