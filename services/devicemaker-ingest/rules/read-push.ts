import { ServiceError, validationFailed } from '../../../domain/errors.ts';
import { JsonBoundsError, parseJson } from '../../../domain/json/json-bounds.ts';
import { isItem } from '../../../domain/recipe/read-fields.ts';
import { type DataType, dataTypeOf } from '../../../providers/devicemaker/data-types.ts';
import { cleanText } from '../../../providers/devicemaker/normalise/item.ts';

/** Items of one top-level key, which the answer repeats as sent. Stubs for a large body. */
export interface Group {
  readonly key: string;
  readonly type: DataType;
  readonly items: readonly unknown[];
}

/** A parsed push. `errors` names what could not be read. */
export interface Push {
  readonly groups: readonly Group[];
  readonly deregistrations: readonly unknown[] | null;
  readonly permissionChanges: readonly unknown[] | null;
  readonly errors: readonly string[];
}

/** More than real deliveries contain: 100 MB of the smallest real items are 400,000. */
export const mostItems = 500_000;
const mostUnknownKeys = 20;

/**
 * Parses a body. Errors never contain its text, which is health data.
 * @throws MALFORMED_BODY (400) if it is not JSON, VALIDATION_FAILED (422) if it is not an object
 */
export function readPush(body: Buffer): Push {
  const payload = parse(body);
  if (!isItem(payload)) throw notAnObject();
  const { groups, errors } = sortKeys(
    Object.entries(payload).map(([key, value]) => [key, Array.isArray(value) ? value.length : null]),
  );
  return {
    groups: groups.map(({ key, type, count }) => ({
      key,
      type,
      items: (arrayOf(payload[key]) ?? []).slice(0, count),
    })),
    deregistrations: arrayOf(payload.deregistrations),
    permissionChanges: arrayOf(payload.userPermissionsChange),
    errors,
  };
}

/** The refusal of a body that is JSON but not an object. */
export function notAnObject(): ServiceError {
  return validationFailed([
    { field: '', message: 'The body must be an object of arrays keyed by data type' },
  ]);
}

/** The refusal of a body that would exceed the memory of the reading thread. */
export function tooManyValues(): ServiceError {
  return validationFailed([{ field: '', message: 'The body has too many values' }]);
}

// A parser's message quotes the text around the error, so it is dropped.
function parse(body: Buffer): unknown {
  try {
    return parseJson(body.toString('utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    if (error instanceof JsonBoundsError) throw tooManyValues();
    throw new ServiceError('MALFORMED_BODY');
  }
}

/** The top-level keys of a body: the number of items per known type, and the problems of the other keys. */
interface SortedKeys {
  readonly groups: readonly { readonly key: string; readonly type: DataType; readonly count: number }[];
  readonly errors: readonly string[];
}

/** A top-level key and the length of its array. Null if its value is not an array. */
export type TopKey = readonly [key: string, length: number | null];

/** Sorts the keys of a body in their order. */
export function sortKeys(keys: readonly TopKey[]): SortedKeys {
  const errors: string[] = [];
  const groups: SortedKeys['groups'][number][] = [];
  let free = mostItems;
  for (const [key, length] of keys) {
    const type = dataTypeOf(key);
    if (type === undefined || length === null) continue;
    const count = Math.min(length, free);
    if (count < length)
      errors.push(`${key}: only ${mostItems} items of a delivery are processed; ${length - count} are left`);
    free -= count;
    groups.push({ key, type, count });
  }
  return { groups, errors: [...errors, ...oddKeys(keys)] };
}

/** Keys of arrays beside the data. */
export const specialKeys: ReadonlySet<string> = new Set(['deregistrations', 'userPermissionsChange']);

function oddKeys(keys: readonly TopKey[]): string[] {
  const isKnown = (key: string) => specialKeys.has(key) || dataTypeOf(key) !== undefined;
  const unknown = keys.filter(([key]) => !isKnown(key)).map(([key]) => key);
  const named = unknown.slice(0, mostUnknownKeys);
  const more = unknown.length - named.length;
  return [
    ...keys
      .filter(([key, length]) => isKnown(key) && length === null)
      .map(([key]) => `${key}: must be an array`),
    ...named.map((key) => `${cleanText(key, 60)}: unknown data type, kept and not processed`),
    ...(more > 0 ? [`${more} more unknown data types, kept and not processed`] : []),
  ];
}

function arrayOf(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}
