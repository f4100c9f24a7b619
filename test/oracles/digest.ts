import { createHash } from 'node:crypto';

/** Text that is equal in Python: sorted keys, and ten digits of a number. */
function canonical(value: unknown): string {
  if (typeof value === 'number') return numberText(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, part]) => `${key}:${canonical(part)}`).join(',')}}`;
}

/** The digest of test/oracles/insights.py. */
export function digest(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex').slice(0, 16);
}

const numberText = (value: number) => (value === 0 ? 0 : value).toExponential(9).replace('+', '');
