import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Caller } from '../../../contracts/auth/schemas.ts';
import { fieldSentence } from '../../../domain/errors.ts';
import { parseParams } from '../../../domain/params.ts';
import type { Call, Meta } from '../../../runtime/environment.ts';
import { authorise } from '../pipeline/admission.ts';
import { type Failure, failureToSend, noteFailure } from '../pipeline/answer.ts';
import { recordRead } from '../pipeline/audit-access.ts';
import type { Exchange, Pipeline } from '../pipeline/exchange.ts';
import { readFields } from '../pipeline/parameters.ts';
import type { Tool } from './tool.ts';

/** The admitted request that calls a tool. */
export interface ToolAccess {
  readonly pipeline: Pipeline;
  readonly exchange: Exchange;
  readonly caller: Caller;
}

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Calls a tool with the checks of its route, in the same order: access (403), parameters (422), the action, the audit
 * entry. A failure becomes a result with a sentence, so that an assistant reads it and corrects its call.
 */
export async function callTool(access: ToolAccess, tool: Tool, given: Arguments): Promise<CallToolResult> {
  try {
    const args = withOwnUser(access.caller, tool, given);
    const exchange = exchangeOf(access.exchange, tool, args);
    authorise(access.caller, exchange);
    const params = readFields({ ...tool.endpoint, ...paramsOf(tool) }, { ...args });
    parseParams(tool.params, params);
    const answer = await tool.run(params, callOf(access));
    await recordRead(access.pipeline, exchange, { caller: access.caller, params });
    return textResult(JSON.stringify(answer));
  } catch (error) {
    const failure = failureToSend(error);
    const { req } = access.exchange;
    noteFailure(access.pipeline.logger, req, error, failure);
    const text = sentencesOf(failure, req.headers['x-request-id']);
    return { ...textResult(text), isError: true, _meta: { code: failure.code } };
  }
}

/** A user token reads one user, so that its calls need not name the user. */
function withOwnUser({ kind, user_id }: Caller, tool: Tool, args: Arguments): Arguments {
  const isImplied = kind === 'sdk' && 'user_id' in tool.params.shape && args.user_id === undefined;
  return isImplied ? { ...args, user_id } : args;
}

function exchangeOf(exchange: Exchange, { endpoint }: Tool, args: Arguments): Exchange {
  const path: Record<string, string> = typeof args.user_id === 'string' ? { user_id: args.user_id } : {};
  return { ...exchange, endpoint, path, query: {} };
}

// The names of arguments are those of the tool. A route with an empty path takes all of them from the body.
function paramsOf({ endpoint, params }: Tool) {
  const { definition, route } = endpoint;
  return { definition: { ...definition, params }, route: { ...route, path: '/mcp' as const } };
}

function callOf({ pipeline, exchange, caller }: ToolAccess): Call {
  const meta: Meta = { caller, gateway_url: pipeline.url() };
  return (name, params, options) => exchange.call(name, params, { ...options, meta });
}

function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

const mostSentences = 3;

function sentencesOf({ status, detail, errors = [] }: Failure, requestId: unknown): string {
  if (status >= 500) return `${detail} Request id: ${requestId}.`;
  if (status !== 422 || errors.length < 2) return detail;
  return errors.slice(0, mostSentences).map(fieldSentence).join(' ');
}
