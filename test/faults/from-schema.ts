import type { z } from 'zod';
import { jsonSchema } from '../../services/api-gateway/json-schema.ts';
import { hostileTexts } from './mutate.ts';
import type { Random } from './random.ts';

/** What parameters of a name are usually filled with: real ids, times that have data, cursors that were given out. */
export type Known = (name: string) => readonly unknown[];

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parameters that a schema takes, more or less: known values by name, else made up by type. */
export function fromSchema(params: z.ZodType, known: Known, random: Random): Json {
  const value = filled(jsonSchema(params, 'input'), '', known, random);
  return isObject(value) ? value : {};
}

function filled(schema: unknown, name: string, known: Known, random: Random): unknown {
  const values = known(name);
  if (values.length > 0 && random.chance(0.9)) return random.pick(values);
  if (!isObject(schema)) return null;
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options)) return filled(random.pick(options), '', known, random);
  if (Array.isArray(schema.allOf)) return filled(schema.allOf[0], name, known, random);
  if (Array.isArray(schema.enum)) return random.pick(schema.enum);
  if ('const' in schema) return schema.const;
  return ofType(schema, known, random);
}

function ofType(schema: Json, known: Known, random: Random): unknown {
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(isObject(schema.properties) ? schema.properties : {})
          .filter(
            ([key]) =>
              (Array.isArray(schema.required) && schema.required.includes(key)) || random.chance(0.6),
          )
          .map(([key, inner]) => [key, filled(inner, key, known, random)]),
      );
    case 'array':
      return Array.from({ length: random.below(4) }, () => filled(schema.items, '', known, random));
    case 'integer':
      return random.pick([0, 1, 2, 7, 20, 100, schema.minimum ?? -1, schema.maximum ?? 1000]);
    case 'number':
      return random.pick([0, 1.5, -3, 80]);
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    default:
      return random.chance(0.7) ? `text ${random.below(1000)}` : random.pick(hostileTexts);
  }
}
