import type { z } from 'zod';
import { type FieldError, validationFailed } from './errors.ts';
import { plainMessage } from './plain-message.ts';

/** Parses parameters by a contract. @throws VALIDATION_FAILED (422) with one entry per field */
export function parseParams<T>(schema: z.ZodType<T>, params: unknown): T {
  const parsed = schema.safeParse(params ?? {}, { reportInput: true, error: plainMessage });
  if (parsed.success) return parsed.data;
  throw validationFailed(fieldErrors(parsed.error.issues).slice(0, mostErrors));
}

const mostErrors = 20;

/** The issues of a schema as fields of a 422 answer. Of a union, only the issues of the likeliest option are returned. */
function fieldErrors(issues: readonly z.core.$ZodIssue[], prefix: readonly PropertyKey[] = []): FieldError[] {
  return issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path];
    const inner = issue.code === 'invalid_union' ? likelyForm(issue) : undefined;
    if (inner !== undefined) return fieldErrors(inner, path);
    return [{ field: path.map(String).join('.'), message: messageOf(issue) }];
  });
}

// The first option that accepts this type of value.
function likelyForm({ errors, input }: z.core.$ZodIssueInvalidUnion) {
  const form = errors.find((issues) => !issues.some(isOtherKind));
  return form ?? (Array.isArray(input) ? undefined : errors.at(-1));
}

const isOtherKind = ({ code, path }: z.core.$ZodIssue) => code === 'invalid_type' && path.length === 0;

const longestQuoted = 100;

function messageOf(issue: z.core.$ZodIssue): string {
  const { code, input } = issue;
  if (code === 'invalid_type' && input === undefined) return 'is required';
  if (Array.isArray(input) && wantsOne(issue)) return 'must be a single value, not a list';
  // A sentence that lists no values is about the one that was given.
  if (code === 'invalid_value' && issue.message.startsWith('is unknown') && typeof input === 'string')
    return `"${input.slice(0, longestQuoted)}" ${issue.message}`;
  return issue.message;
}

// A repeated parameter is passed as a list.
function wantsOne(issue: z.core.$ZodIssue): boolean {
  if (issue.code === 'invalid_type') return issue.expected !== 'object' && issue.expected !== 'record';
  return issue.code === 'invalid_value' || issue.code === 'invalid_union';
}
