import { randomUUID } from 'node:crypto';
import type { NewFamily } from '../queries/insert-family.ts';
import type { Lifetime } from './lifetimes.ts';
import { newRefreshToken, sha256 } from './secrets.ts';

/** A new token family with its first refresh token as plain text. */
export interface FreshFamily {
  readonly family: NewFamily;
  readonly refreshToken: string;
}

/** Generates a family's id and first refresh token; stores nothing. */
export function freshFamily({ refreshSeconds }: Lifetime): FreshFamily {
  const refreshToken = newRefreshToken();
  const refreshHash = sha256(refreshToken);
  return { refreshToken, family: { familyId: randomUUID(), refreshHash, refreshSeconds } };
}
