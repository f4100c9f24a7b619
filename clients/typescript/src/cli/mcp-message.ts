/** The fields of a JSON-RPC message that a bridge reads. */
export interface RpcMessage {
  /** Absent in a notification. */
  readonly id?: string | number | null;
  readonly method?: string;
  /** The protocol version that the message states. */
  readonly version?: string;
  /** The name of a tool. */
  readonly name?: string;
  /** The id of the request that a notification cancels. */
  readonly cancels?: string | number | null;
  /** The protocol version of an answer to `initialize`. */
  readonly agreed?: string;
  readonly error: { readonly code: number; readonly message: string };
}

const versionKey = 'io.modelcontextprotocol/protocolVersion';

/** The message of a line; null if it is no JSON object. */
export function messageOf(line: string): RpcMessage | null {
  const value = parsed(line);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const params = fieldOf(value, 'params');
  const error = fieldOf(value, 'error');
  return {
    ...optional('id', idOf(value, 'id')),
    ...optional('method', textOf(value, 'method')),
    ...optional('version', textOf(fieldOf(params, '_meta'), versionKey)),
    ...optional('name', textOf(params, 'name')),
    ...optional('cancels', idOf(params, 'requestId')),
    ...optional('agreed', textOf(fieldOf(value, 'result'), 'protocolVersion')),
    error: {
      code: Number(fieldOf(error, 'code') ?? -32_000),
      message: String(fieldOf(error, 'message') ?? ''),
    },
  };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return Reflect.get(Object(value), name);
}

// Header values are visible ASCII; other names are no tools.
function textOf(value: unknown, name: string): string | undefined {
  const text = fieldOf(value, name);
  return typeof text === 'string' && /^[\x21-\x7e]{1,128}$/.test(text) ? text : undefined;
}

function idOf(value: unknown, name: string): string | number | null | undefined {
  const id = fieldOf(value, name);
  return typeof id === 'string' || typeof id === 'number' || id === null ? id : undefined;
}

function optional<N extends string, T>(name: N, value: T | undefined): { [K in N]?: T } {
  const found: { [K in N]?: T } = {};
  if (value !== undefined) found[name] = value;
  return found;
}
