import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Test } from 'tap';
import { type Answer, type Ask, ask } from './api.ts';

/** The text of a tool's answer, and whether it is an error. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  /** The parsed text; null if it is a sentence. */
  readonly body: unknown;
}

/** Calls a tool without a client, as the transport sends it. */
export async function callTool(
  url: string,
  name: string,
  args: unknown,
  credential: Ask,
): Promise<ToolAnswer & { readonly http: Answer }> {
  const params = { name, arguments: args };
  const http = await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, credential);
  return { ...toolAnswer(Reflect.get(Object(http.body), 'result')), http };
}

/** Posts one message. */
export function post(url: string, message: unknown, given: Ask): Promise<Answer> {
  const { headers, ...credential } = given;
  const accept = { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-11-25' };
  return ask(url, '/mcp', { ...credential, body: message, headers: { ...accept, ...headers } });
}

/** The first text of a result of `tools/call`. */
export function toolAnswer(result: unknown): ToolAnswer {
  const content: unknown = Reflect.get(Object(result), 'content');
  const [first]: unknown[] = Array.isArray(content) ? content : [];
  const text = String(Reflect.get(Object(first), 'text') ?? '');
  return { isError: Reflect.get(Object(result), 'isError') === true, text, body: parsed(text) };
}

function parsed(text: string): unknown {
  return text.startsWith('{') ? JSON.parse(text) : null;
}

/** A client of the official package. `fetch` sends its requests. */
export async function connectClient(
  t: Test,
  url: string,
  apiKey: string,
  mode: 'auto' | 'legacy',
  fetchOf: typeof fetch = fetch,
): Promise<Client> {
  const client = new Client({ name: 'tests', version: '1.0.0' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { 'X-API-Key': apiKey } };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit, fetch: fetchOf });
  await client.connect(transport);
  t.teardown(() => client.close());
  return client;
}
