import type { z } from 'zod';

/**
 * Differences between an answer and its contract: a sentence for each field that is missing, has another type or is not
 * in the contract. Sentences contain paths and types, never a value. For development only, because it costs as much as
 * a validation.
 */
export function answerProblems(schema: z.ZodType, answer: unknown): string[] {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return unknownFields(answer, parsed.data, []);
  return parsed.error.issues.map(
    (issue) => `${issue.path.map(String).join('.') || 'the answer'}: ${issue.message}`,
  );
}

// Schemas drop unknown fields. A field that is absent from the parsed answer is not in the contract.
function unknownFields(answer: unknown, parsed: unknown, path: readonly string[]): string[] {
  if (typeof answer !== 'object' || answer === null || typeof parsed !== 'object' || parsed === null)
    return [];
  return Object.entries(answer).flatMap(([name, value]) => {
    const here = [...path, name];
    if (value === undefined) return [];
    if (!Object.hasOwn(parsed, name)) return [`${here.join('.')}: is not in the contract`];
    return unknownFields(value, Reflect.get(parsed, name), here);
  });
}
