import { z } from 'zod';

/** A JSON Schema, or a part of one. */
export type Json = Readonly<Record<string, unknown>>;

/** Whether a schema describes the parameters or the answer of an action. */
export type Direction = 'input' | 'output';

const definitions = '#/$defs/';

/** The JSON Schema of the parameters or the answer of an action, with named schemas inlined. */
export function jsonSchema(schema: z.ZodType, io: Direction): Json {
  const { $defs, ...rest } = referringSchema(schema, io);
  return asJson(inlined(rest, asJson($defs)));
}

/** As `jsonSchema`, with references: each schema with an id (`.meta({ id })`) is in `$defs`. */
export function referringSchema(schema: z.ZodType, io: Direction): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
  });
  return rest;
}

// Keywords beside a reference, such as a description, replace those of the named schema.
function inlined(value: unknown, named: Json): unknown {
  if (Array.isArray(value)) return value.map((one) => inlined(one, named));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...own } = asJson(value);
  const target = typeof $ref === 'string' ? inlined(named[$ref.slice(definitions.length)], named) : {};
  return { ...asJson(target), ...mapped(own, (one) => inlined(one, named)) };
}

/** The same keys with other values. */
export function mapped<T>(object: Json, change: (value: unknown) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

/** The properties of an object's schema, by name. */
export function propertiesOf({ properties }: Json): Record<string, Json> {
  return mapped(asJson(properties), asJson);
}

/** The names that an object's schema requires. */
export function requiredOf({ required }: Json): string[] {
  return Array.isArray(required) ? required.map(String) : [];
}

/** The schema itself or one of its alternatives that is of a type; null if there is none. */
export function formOf(schema: Json, type: 'array' | 'object'): Json | null {
  if (schema.type === type) return schema;
  const forms: unknown[] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  return forms.map(asJson).find((form) => form.type === type) ?? null;
}

/** An object as a JSON Schema; any other value as the empty schema. */
export function asJson(value: unknown): Json {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
