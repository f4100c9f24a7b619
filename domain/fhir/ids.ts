/*
 * An id of FHIR has at most 64 letters, digits, `-` and `.`. The id of an Observation or a Device is that of its user and a key,
 * so that every read has the user as a condition.
 */

const length = 25;

/** A UUID in 25 characters. */
export function shortId(uuid: string): string {
  return BigInt(`0x${uuid.replaceAll('-', '')}`)
    .toString(36)
    .padStart(length, '0');
}

/** The UUID of 25 characters; null if they are none. */
export function longId(short: string): string | null {
  if (!/^[0-9a-z]{25}$/.test(short)) return null;
  let number = 0n;
  for (const digit of short) number = number * 36n + BigInt(Number.parseInt(digit, 36));
  const hex = number.toString(16).padStart(32, '0');
  if (hex.length > 32) return null;
  return [0, 8, 12, 16, 20].map((from, index, all) => hex.slice(from, all[index + 1])).join('-');
}

/** The id of a resource of a user. */
export function resourceId(userId: string, key: string): string {
  return `${shortId(userId)}-${key}`;
}

/** The user and the key of an id; null if it is none of ours. */
export function readResourceId(id: string): { userId: string; key: string } | null {
  const userId = id[length] === '-' ? longId(id.slice(0, length)) : null;
  return userId === null ? null : { userId, key: id.slice(length + 1) };
}
