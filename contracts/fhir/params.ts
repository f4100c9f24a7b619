import { z } from 'zod';
import { readResourceId } from '../../domain/fhir/ids.ts';
import { isCategory } from '../../domain/fhir/search-codes.ts';
import { type DateCondition, dateCondition } from '../../domain/fhir/search-dates.ts';
import { repeated, Text } from '../../domain/wire.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The id of the user whom a reference names, `ID`, `Patient/ID` or an address; null if it names none. */
export function userOfReference(reference: unknown): string | null {
  const id = typeof reference === 'string' ? reference.replace(/^(.*\/)?Patient\//, '') : '';
  return uuid.test(id) ? id.toLowerCase() : null;
}

/** The id of the user of a resource's id; null if it is none of ours. */
export function userOfResource(id: unknown): string | null {
  return typeof id === 'string' ? (readResourceId(id)?.userId ?? null) : null;
}

/** A reference to a Patient, as a search parameter. */
export const PatientReference = z
  .string()
  .max(300)
  .refine((text) => userOfReference(text) !== null, 'must be the id of a Patient, or Patient/ and the id')
  .meta({ example: 'Patient/01234567-89ab-4def-8123-456789abcdef' });

const dateReason =
  'must be a date or a time, 2026-01-31 or 2026-01-31T12:00:00Z, optionally after one of the prefixes eq, ge, gt, le and lt';

/** A condition on dates. */
export const DateParameter = z
  .string()
  .max(60)
  .transform((text, context): DateCondition => {
    const condition = dateCondition(text);
    if (condition !== null) return condition;
    context.addIssue(dateReason);
    return z.NEVER;
  });

/** The earliest change, `ge` or `gt` and a time, as milliseconds. */
export const LastUpdated = z
  .string()
  .max(60)
  .transform((text, context): number => {
    const condition = dateCondition(text);
    const isFrom = condition?.prefix === 'ge' || condition?.prefix === 'gt';
    if (condition !== null && isFrom)
      return condition.on === 'instant' ? condition.first : Date.parse(`${condition.first}T00:00:00Z`);
    context.addIssue('must be ge or gt and a time, such as ge2026-01-31T12:00:00Z');
    return z.NEVER;
  });

const Token = Text.min(1).max(200);

/** Codes, of which a resource has one: `code`, `system|code` or `|code`. */
export const CodeTokens = repeated(Token, 100);

/** Categories, of which a resource has one. */
export const CategoryTokens = repeated(
  Token.refine(isCategory, 'must be a category such as vital-signs, activity or laboratory'),
  10,
);

/** The form of the files of an export. */
export const OutputFormat = z
  .enum(
    ['application/fhir+ndjson', 'application/ndjson', 'ndjson'],
    'must be application/fhir+ndjson: there is no other format',
  )
  .meta({ id: 'FhirOutputFormat' })
  .optional()
  .describe('`application/fhir+ndjson` only.');

/** The form of the answer. */
export const Format = z
  .enum(['json', 'application/json', 'application/fhir+json'], 'must be json: there is no other format')
  .meta({ id: 'FhirFormat' })
  .optional()
  .describe('`json` only.');
