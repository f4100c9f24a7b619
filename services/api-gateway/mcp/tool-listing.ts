import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Caller } from '../../../contracts/auth/schemas.ts';
import { asJson, type Json, jsonSchema, mapped, propertiesOf, requiredOf } from '../openapi/json-schema.ts';
import type { Tool } from './tool.ts';

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

const Properties = z.record(z.string(), z.json());
const cache = new WeakMap<Tool, ListedTool>();

/** A tool as `tools/list` returns it. For a user token, `user_id` is optional. */
export function toolListing(tool: Tool, { kind }: Caller): ListedTool {
  const listed = cache.get(tool) ?? listingOf(tool);
  cache.set(tool, listed);
  if (kind !== 'sdk') return listed;
  const required = listed.inputSchema.required?.filter((field) => field !== 'user_id') ?? [];
  return { ...listed, inputSchema: { ...listed.inputSchema, required } };
}

function listingOf({ name, title, description, params }: Tool): ListedTool {
  const schema = jsonSchema(params, 'input');
  const properties = Properties.parse(mapped(propertiesOf(schema), shortened));
  return {
    ...{ name, title, description },
    inputSchema: { type: 'object', properties, required: requiredOf(schema), additionalProperties: false },
    annotations: { title, ...annotations },
  };
}

// The pattern of a UUID is long, and its format says the same. Of a time as text or number, the text is listed.
function shortened(value: unknown): Json {
  const { pattern: _, example: __, anyOf, ...rest } = asJson(value);
  return Array.isArray(anyOf) ? { ...asJson(anyOf[0]), ...rest } : rest;
}
