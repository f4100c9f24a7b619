import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Caller } from '../../../contracts/auth/schemas.ts';
import { CursorParameter } from '../../../domain/page.ts';
import { RangeEnd, RangeStart } from '../../../domain/time/time.ts';
import { UserId } from '../../../domain/wire.ts';
import type { Call } from '../../../runtime/environment.ts';
import type { Endpoint } from '../endpoints.ts';
import { asJson, type Json, jsonSchema, mapped, propertiesOf, requiredOf } from '../openapi/components.ts';

/**
 * A tool of the MCP server. It stands for a route of the API: whoever may call the route may call the tool, and the call
 * leaves the same audit entry.
 */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly endpoint: Endpoint;
  readonly params: z.ZodObject;
  /** The answer as JSON. `args` are checked against `params`, but not transformed. */
  readonly run: (args: Readonly<Record<string, unknown>>, call: Call) => Promise<object>;
}

interface Definition<P extends z.ZodObject> extends Omit<Tool, 'params' | 'run'> {
  readonly params: P;
  readonly run: (args: z.input<P>, call: Call) => Promise<object>;
}

/** Defines a tool; the arguments of `run` have the type of its parameters before transformation, as actions take them. */
export function tool<P extends z.ZodObject>(definition: Definition<P>): Tool {
  return definition as never;
}

/** The user and the range of lists of days. */
export const dayRange = {
  user_id: UserId,
  start_date: RangeStart.meta({ description: 'First local day of the range, YYYY-MM-DD.' }),
  end_date: RangeEnd.meta({ description: 'Last local day of the range, YYYY-MM-DD, included.' }),
  cursor: CursorParameter.describe('`next_cursor` of an earlier answer to the same arguments.'),
};

/** The user and the range of lists of events. */
export const eventRange = {
  ...dayRange,
  start_date: RangeStart.meta({
    description: 'Start of the range, included: a UTC day (YYYY-MM-DD) or a time (ISO 8601).',
  }),
  end_date: RangeEnd.meta({
    description: 'End of the range: a UTC day (YYYY-MM-DD), included, or a time (ISO 8601), excluded.',
  }),
};

/** The most items of an answer, which may have fewer because its size is limited. */
export function mostItems(most: number) {
  return z
    .int()
    .min(1)
    .max(most)
    .optional()
    .describe(`The most items to return, 1 to ${most}. Default: as many as an answer of 25 kB holds.`);
}

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
    name,
    title,
    description,
    inputSchema: { type: 'object', properties, required: requiredOf(schema), additionalProperties: false },
    annotations: { title, ...annotations },
  };
}

// The pattern of a UUID is long, and its format says the same. Of a time as text or number, the text is listed.
function shortened(value: unknown): Json {
  const { pattern: _, example: __, anyOf, ...rest } = asJson(value);
  return Array.isArray(anyOf) ? { ...asJson(anyOf[0]), ...rest } : rest;
}
