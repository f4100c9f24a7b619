import { hash } from 'node:crypto';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The stored key of a provider's id: the id itself if it is a UUID, otherwise the first 16 bytes of its SHA-256. */
export function intervalKey(id: string): string {
  if (uuid.test(id)) return id.toLowerCase();
  const hex = hash('sha256', id);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}
