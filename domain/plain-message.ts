import type { z } from 'zod';
import { nearestNames } from './nearest.ts';

/**
 * The message for an invalid value, short and without terms of the validator. It does not contain the value, which may be a
 * secret. It continues the name of its field: `limit must be at most 100`. Pass it to a parse as `error`; a message of the
 * schema itself takes precedence.
 */
export function plainMessage(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : oneOf(issue.values.map(String), issue.input);
    case 'invalid_format':
      return formats[issue.format] ?? 'has the wrong form';
    case 'too_small':
      return smallest(issue);
    case 'too_big':
      return largest(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `must not have ${listed(issue.keys, 'or')}`;
    default:
      return 'is not valid';
  }
}

/** Whether a list of possible values is too long for a sentence. */
const isLong = (values: readonly unknown[]) => values.length > 12;

function oneOf(values: readonly string[], input: unknown): string {
  if (!isLong(values)) return `must be ${listed(values, 'or')}`;
  if (typeof input !== 'string') return 'must be one of the known names';
  return `is unknown; the nearest are ${listed(nearestNames(input, values, 3), 'and')}`;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const formats: Readonly<Record<string, string>> = {
  uuid: 'must be a UUID',
  email: 'must be a valid e-mail address',
  url: 'must be a URL',
  datetime: 'must be an ISO 8601 time',
  date: 'must be a date, YYYY-MM-DD',
};

const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

function smallest({
  origin,
  minimum,
  inclusive,
  exact,
}: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string {
  const unit = units[origin];
  if (unit === undefined)
    return inclusive === false ? `must be above ${minimum}` : `must be at least ${minimum}`;
  if (exact === true) return `must have exactly ${counted(minimum, unit)}`;
  return Number(minimum) <= 1 ? 'must not be empty' : `must have at least ${counted(minimum, unit)}`;
}

function largest({ origin, maximum, inclusive, exact }: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>): string {
  const unit = units[origin];
  if (unit === undefined)
    return inclusive === false ? `must be below ${maximum}` : `must be at most ${maximum}`;
  return `must have ${exact === true ? 'exactly' : 'at most'} ${counted(maximum, unit)}`;
}

function counted(number: number | bigint, [one, many]: readonly [string, string]): string {
  return `${number} ${Number(number) === 1 ? one : many}`;
}

/** Words in a row, `a, b or c`. */
export function listed(words: readonly string[], last: 'and' | 'or'): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}
