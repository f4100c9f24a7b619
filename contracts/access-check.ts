import { z } from 'zod';
import { UserId } from '../domain/wire.ts';
import { ProviderName } from '../providers/all.ts';

/** A question to a provider about one connection: is our access still good, and what may we read? */
export const AccessQuestion = z.object({
  user_id: UserId,
  provider: ProviderName,
  about: z.enum(['access', 'permissions']),
});

/**
 * What a provider answered. `granted`: our access is good, with the scope where the question was about it. `ended`:
 * the provider refuses our access. `unknown`: it could not be asked now. `no_token`: there is nothing to ask with.
 */
export const AccessAnswer = z.object({
  access: z.enum(['granted', 'ended', 'unknown', 'no_token']),
  scope: z.array(z.string()).nullable(),
});

export type AccessAnswer = z.infer<typeof AccessAnswer>;
export type AccessQuestion = z.infer<typeof AccessQuestion>;
