import type { z } from 'zod';
import type { Call } from '../../../runtime/environment.ts';
import type { Endpoint } from '../endpoints.ts';

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
