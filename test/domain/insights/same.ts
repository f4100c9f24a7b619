/** Whether two values are equal, numbers but for a relative difference of 1e-9. */
export function same(one: unknown, other: unknown): boolean {
  if (typeof one === 'number' && typeof other === 'number')
    return one === other || Math.abs(one - other) <= 1e-9 * Math.max(Math.abs(one), Math.abs(other));
  if (!isObject(one) || !isObject(other)) return one === other;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Array.isArray(one) === Array.isArray(other) && [...keys].every((key) => same(one[key], other[key]));
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
