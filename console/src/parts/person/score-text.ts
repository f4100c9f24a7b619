import { duration } from '../../duration.ts';
import { digits } from '../../units.ts';

/** The value of a score and its word: `71.5, good`. */
export const scoreText = ({ value, label }: { value: number | null; label: string | null }) =>
  [value === null ? null : digits(value, 1), label?.toLowerCase().replaceAll('_', ' ') ?? null]
    .filter((part) => part !== null)
    .join(', ');

/** A part of a score: `hrv balance: 81`, `stress: 9 h 15 min`. */
export function componentText(name: string, value: number | string | null): string {
  const words = name.replaceAll('_', ' ');
  if (value === null) return `${words}: none`;
  if (typeof value === 'number' && name.endsWith('_seconds'))
    return `${words.slice(0, -' seconds'.length)}: ${duration(value)}`;
  return `${words}: ${typeof value === 'number' ? digits(value, 2) : value}`;
}

/** A text that begins with a capital letter. */
export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
