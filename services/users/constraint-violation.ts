/** Whether a database error, from pg or the ORM, is a violation of the named constraint or unique index. */
export function violates(error: unknown, constraint: string): boolean {
  return typeof error === 'object' && error !== null && Reflect.get(error, 'constraint') === constraint;
}
