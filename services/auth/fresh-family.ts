import { randomUUID } from 'node:crypto';
import type { NewFamily } from './queries/insert-family.ts';
import { newRefreshToken, sha256 } from './secrets.ts';

/** A family that is to begin, with its first refresh token in plain. */
export interface FreshFamily {
  readonly family: NewFamily;
  readonly refreshToken: string;
}

/** Makes up a family's id and first refresh token; nothing is stored. */
export function freshFamily(): FreshFamily {
  const refreshToken = newRefreshToken();
  return { refreshToken, family: { familyId: randomUUID(), refreshHash: sha256(refreshToken) } };
}
