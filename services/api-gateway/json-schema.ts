import { z } from 'zod';

/** A JSON Schema, or a part of one. */
export type Json = Readonly<Record<string, unknown>>;

/** The JSON Schema of what goes into an action, or of what comes out of it. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
  });
  return rest;
}

/** The properties of an object's schema, by name. */
export function propertiesOf({ properties }: Json): Record<string, Json> {
  return Object.fromEntries(Object.entries(asJson(properties)).map(([name, one]) => [name, asJson(one)]));
}

/** The names that an object's schema requires. */
export function requiredOf({ required }: Json): string[] {
  return Array.isArray(required) ? required.map(String) : [];
}

/** The form of a schema that is of a type, itself or one of its alternatives; null where there is none. */
export function formOf(schema: Json, type: 'array' | 'object'): Json | null {
  if (schema.type === type) return schema;
  const forms: unknown[] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  return forms.map(asJson).find((form) => form.type === type) ?? null;
}

/** An object as a JSON Schema; anything else as one that says nothing. */
export function asJson(value: unknown): Json {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
