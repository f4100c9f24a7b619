import { asJson, formOf, type Json, propertiesOf } from '../openapi/json-schema.ts';

/** A field that is not in the contract, with its path and the known fields at that path. */
export interface UnknownField {
  readonly path: string;
  readonly name: string;
  readonly known: readonly string[];
}

/** The unknown fields of a body, generated one by one, so that a caller can stop after the first few. */
export function* unknownFields(value: unknown, schema: Json, path: string): Generator<UnknownField> {
  const items = Array.isArray(value) ? formOf(schema, 'array')?.items : undefined;
  if (Array.isArray(value) && items !== undefined)
    for (const [index, one] of value.entries()) yield* unknownFields(one, asJson(items), `${path}${index}.`);
  const form = formOf(schema, 'object');
  if (!isObject(value) || form === null || !isClosed(form)) return;
  const properties = new Map(Object.entries(propertiesOf(form)));
  const known = [...properties.keys()];
  for (const name of Object.keys(value)) {
    const own = properties.get(name);
    if (own === undefined) yield { path, name, known };
    else yield* unknownFields(value[name], own, `${path}${name}.`);
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// A map with free keys has no unknown fields.
function isClosed({ properties, additionalProperties }: Json): boolean {
  return properties !== undefined && (additionalProperties ?? false) === false;
}
