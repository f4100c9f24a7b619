import { z } from 'zod';
import type { Product } from '../product.ts';

/** The tokens of a user, as an app or a page holds them. */
export const UserTokens = z.object({ access_token: z.string(), refresh_token: z.string() });
export type UserTokens = z.infer<typeof UserTokens>;

/** Issues tokens of a user. */
export async function issueTokens({ api }: Product, userId: string): Promise<UserTokens> {
  const given = { method: 'POST', token: api.developerToken };
  return UserTokens.parse((await api.ask(`/api/v1/users/${userId}/token`, given)).body);
}

/** Renews tokens. Null: the refresh token is refused. */
export async function renewTokens(
  { api }: Product,
  { refresh_token }: UserTokens,
): Promise<UserTokens | null> {
  const answer = await api.ask('/api/v1/token/refresh', { body: { refresh_token } });
  return answer.status === 200 ? UserTokens.parse(answer.body) : null;
}

/** Ends the session of tokens. */
export async function revokeTokens({ api }: Product, { refresh_token }: UserTokens): Promise<void> {
  await api.expect(200, '/auth/revoke', { body: { token: refresh_token } });
}
