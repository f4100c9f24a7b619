import { z } from 'zod';
import { action, Nothing } from '../../domain/contract.ts';
import { ProviderName } from '../../providers/all.ts';
import { Connection } from './schemas.ts';

/** Counts for operators. */
export const figureActions = {
  /** The exact numbers of users and connections, without counting rows. */
  figures: action({
    summary: 'Count users and connections',
    params: Nothing,
    returns: z.object({
      users: z.int(),
      connections: z.array(
        z.object({ provider: ProviderName, status: Connection.shape.status, count: z.int() }),
      ),
    }),
    idempotent: true,
  }),
};
