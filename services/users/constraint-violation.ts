/** Whether a failure of the database is the breach of the named constraint or unique index, from pg or the ORM. */
export function violates(error: unknown, constraint: string): boolean {
  return typeof error === 'object' && error !== null && Reflect.get(error, 'constraint') === constraint;
}
