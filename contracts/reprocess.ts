import { z } from 'zod';
import { action, Nothing } from '../domain/contract.ts';

/**
 * The action of an ingest service that processes a kept delivery again, as it processes a new one. What the delivery says of
 * connections changes nothing. A delivery that is gone or erased is left out.
 */
export const reprocessAction = action({
  summary: 'Process a kept delivery again with the current normalisers',
  params: z.object({ delivery_id: z.uuid() }),
  returns: Nothing,
  idempotent: true,
  timeoutMs: 600_000,
});
