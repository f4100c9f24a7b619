import { hash } from 'node:crypto';
import type { IntervalSource } from '../../domain/records/interval-records.ts';
import type { Span } from './entry.ts';

/**
 * The key of an entry, from its content: files have no ids that last, so the same entry of another file has the same key.
 */
export function keyOf(
  type: string,
  { device, app }: IntervalSource,
  { start_ms, end_ms }: Span,
  value: unknown,
): string {
  const content = `${type}\n${device}\n${app ?? ''}\n${start_ms}\n${end_ms}\n${value}`;
  return hash('sha256', content, 'base64url').slice(0, 27);
}
