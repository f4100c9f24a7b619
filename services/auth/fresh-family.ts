import { randomUUID } from 'node:crypto';
import type { Lifetime } from './lifetimes.ts';
import type { NewFamily } from './queries/insert-family.ts';
import { newRefreshToken, sha256 } from './secrets.ts';

/** A family that is to begin, with its first refresh token in plain. */
export interface FreshFamily {
  readonly family: NewFamily;
  readonly refreshToken: string;
}

/** Makes up a family's id and first refresh token; nothing is stored. */
export function freshFamily({ refreshSeconds }: Lifetime): FreshFamily {
  const refreshToken = newRefreshToken();
  const refreshHash = sha256(refreshToken);
  return { refreshToken, family: { familyId: randomUUID(), refreshHash, refreshSeconds } };
}
