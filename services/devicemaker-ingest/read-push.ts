import { ServiceError, validationFailed } from '../../domain/errors.ts';
import { type DataType, dataTypeOf } from './data-types.ts';
import { cleanText, isObject } from './normalise/item.ts';

/** Items of one top-level key, which is answered as it was sent. */
export interface Group {
  readonly key: string;
  readonly type: DataType;
  readonly items: readonly unknown[];
}

/** A push, taken apart; `errors` names what could not be. */
export interface Push {
  readonly groups: readonly Group[];
  readonly deregistrations: readonly unknown[] | null;
  readonly permissionChanges: readonly unknown[] | null;
  readonly errors: readonly string[];
}

/** More than any sender puts into one delivery (100 MB of the smallest real items are 400,000). */
const mostItems = 500_000;
const mostUnknownKeys = 20;

/**
 * Takes a body apart. Its text never gets into an error: it is health data.
 * @throws MALFORMED_BODY (400) when it is no JSON, VALIDATION_FAILED (422) when it is no object.
 */
export function readPush(body: Buffer): Push {
  const payload = parse(body);
  if (!isObject(payload))
    throw validationFailed([
      { field: '', message: 'The body must be an object of arrays keyed by data type' },
    ]);
  const errors: string[] = [];
  const groups: Group[] = [];
  let free = mostItems;
  for (const [key, value] of Object.entries(payload)) {
    const type = dataTypeOf(key);
    if (type === undefined || !Array.isArray(value)) continue;
    const items: readonly unknown[] = value.slice(0, free);
    if (items.length < value.length)
      errors.push(
        `${key}: only ${mostItems} items of a delivery are processed; ${value.length - items.length} are left`,
      );
    free -= items.length;
    groups.push({ key, type, items });
  }
  return {
    groups,
    deregistrations: arrayOf(payload.deregistrations),
    permissionChanges: arrayOf(payload.userPermissionsChange),
    errors: [...errors, ...oddKeys(payload)],
  };
}

/** As `readPush`, with the refusal as a value. */
export function readOrRefuse(body: Buffer): Push | ServiceError {
  try {
    return readPush(body);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

// A parser's message quotes the text around the mistake, so it goes no further.
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8').replace(/^\uFEFF/, ''));
  } catch {
    throw new ServiceError('MALFORMED_BODY');
  }
}

const special = new Set(['deregistrations', 'userPermissionsChange']);

function oddKeys(payload: Readonly<Record<string, unknown>>): string[] {
  const entries = Object.entries(payload);
  const isKnown = (key: string) => special.has(key) || dataTypeOf(key) !== undefined;
  const unknown = entries.filter(([key]) => !isKnown(key)).map(([key]) => key);
  const named = unknown.slice(0, mostUnknownKeys);
  const more = unknown.length - named.length;
  return [
    ...entries
      .filter(([key, value]) => isKnown(key) && !Array.isArray(value))
      .map(([key]) => `${key}: must be an array`),
    ...named.map((key) => `${cleanText(key, 60)}: unknown data type, kept and not processed`),
    ...(more > 0 ? [`${more} more unknown data types, kept and not processed`] : []),
  ];
}

function arrayOf(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}
