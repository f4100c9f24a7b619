import { fieldOf } from '../../domain/error-code.ts';

/** Whether a database error, from pg or the ORM, is a violation of the named constraint or unique index. */
export function violates(error: unknown, constraint: string): boolean {
  return fieldOf(error, 'constraint') === constraint;
}
