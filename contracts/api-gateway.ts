import { z } from 'zod';
import { action, contract, Nothing } from '../domain/contract.ts';

/** The edge itself: whether it is up, and whether it should be sent requests. */
export const apiGateway = contract('api-gateway', {
  health: action({
    summary: 'Whether the gateway runs',
    params: Nothing,
    returns: z.object({ status: z.literal('ok') }),
    http: { method: 'GET', path: '/health', access: ['public'], tag: 'Operations' },
    idempotent: true,
  }),
  ready: action({
    summary: 'Whether all services and the database answer; 503 while one is away or a stop has begun',
    params: Nothing,
    returns: z.object({ status: z.enum(['ok', 'unavailable']), services: z.record(z.string(), z.boolean()) }),
    http: { method: 'GET', path: '/ready', access: ['public'], tag: 'Operations' },
    idempotent: true,
  }),
});
