/**
 * The value of a table by a name that others chose. Undefined: the table has none of its own. Without this, `toString` or `__proto__`
 * finds what every object has.
 */
export const ownValue = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
