import { z } from 'zod';
import { UserId } from '../domain/wire.ts';
import { ProviderName } from '../providers/all.ts';

/** A read at a provider that checks the access, or the permissions, of one connection. */
export const AccessQuestion = z.object({
  user_id: UserId,
  provider: ProviderName,
  about: z.enum(['access', 'permissions']),
});

/**
 * The result of the read. `granted`: the access is valid; `scope` is set if the permissions were read. `ended`: the
 * provider refuses the access. `unknown`: the read failed temporarily. `no_token`: the connection has no token.
 */
export const AccessAnswer = z.object({
  access: z.enum(['granted', 'ended', 'unknown', 'no_token']),
  scope: z.array(z.string()).nullable(),
});

export type AccessAnswer = z.infer<typeof AccessAnswer>;
export type AccessQuestion = z.infer<typeof AccessQuestion>;
