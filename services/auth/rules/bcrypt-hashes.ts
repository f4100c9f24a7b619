/** The form of a bcrypt hash: version, cost, and salt with hash in bcrypt's own base64. */
const form = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/** A cost of 14 takes about a second. */
const [leastCost, mostCost] = [4, 14];

/** bcrypt reads no further bytes of a secret. */
const mostBytes = 72;

/** Why a hash is refused; null for one that secrets can be compared with. */
export function bcryptProblem(hash: string): 'malformed_hash' | 'cost_too_high' | null {
  const cost = Number(form.exec(hash)?.[1]);
  if (!(cost >= leastCost)) return 'malformed_hash';
  return cost > mostCost ? 'cost_too_high' : null;
}

/** Whether a stored hash is a bcrypt hash of a move, and not ours. */
export const isBcrypt = (hash: string) => hash.startsWith('$2');

/**
 * Whether bcrypt tells this secret from others. Of a longer one it reads the beginning only, and a NUL ends the text and begins it
 * anew, so that several secrets have one hash. Ours would be stored for the wrong one.
 */
export function isComparable(secret: string): boolean {
  return Buffer.byteLength(secret) <= mostBytes && !secret.includes('\0');
}
