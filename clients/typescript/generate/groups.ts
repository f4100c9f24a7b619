/** The parts of openapi.json from which operations are generated. */
export interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: { requestBody: { content: Record<string, { schema: Schema }> } } }>;
  components: { schemas: Record<string, Schema>; responses?: unknown };
}

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  security: Record<string, unknown>[];
  parameters?: { name: string; in: string; required?: boolean }[] | undefined;
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: readonly string[];
  anyOf?: Schema[];
  items?: Schema;
  required?: string[];
  properties?: Record<string, Schema>;
}

interface Method {
  readonly group: string;
  readonly text: string;
}

/** The source of groups.gen.ts: a class per group of operations, and a class of all groups. */
export function groupsSource(document: Document): string {
  const methods = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => methodOf(document, method, path, operation)),
  );
  const groups = [...Map.groupBy(methods, ({ group }) => group)];
  return `${header}
import { Group, VerifyingGroup } from '../group.ts';
import type { Input } from '../input.ts';
import type { Lines } from '../lines.ts';
import type { Pages } from '../pages.ts';
import type { CallOptions, Transport } from '../transport.ts';
import type * as types from './types.gen.ts';

${groups.map(classOf).join('\n\n')}

/** All operations of the API, in groups. */
export class Api {
${groups.map(([group]) => `  readonly ${group}: ${pascal(group)};`).join('\n')}

  constructor(transport: Transport) {
${groups.map(([group]) => `    this.${group} = new ${pascal(group)}(transport);`).join('\n')}
  }
}
`;
}

/** The source of events.gen.ts: the union of the events in `webhooks`. */
export function eventsSource({ webhooks }: Document): string {
  const names = Object.values(webhooks).map(({ post }) =>
    nameOf(post.requestBody.content['application/json']?.schema),
  );
  return `${header}
import type { ${names.toSorted().join(', ')} } from './types.gen.ts';

/** An event that a webhook delivers. \`type\` says which. */
export type WebhookEvent = ${names.join(' | ')};
`;
}

/** The source of providers.gen.ts: the names of the providers. */
export function providersSource({ components }: Document): string {
  const names = (components.schemas.Provider?.enum ?? []).map((name) => `'${name}'`);
  return `${header}
import type { Provider } from './types.gen.ts';

/** The providers of the API. */
export const providers = [${names.join(', ')}] as const satisfies readonly Provider[];
`;
}

const header = '// This file is generated from openapi.json by generate.ts.';

function classOf([group, methods]: readonly [string, readonly Method[]]): string {
  const base = group === 'webhooks' ? 'VerifyingGroup' : 'Group';
  return `export class ${pascal(group)} extends ${base} {\n${methods.map(({ text }) => text).join('\n\n')}\n}`;
}

function methodOf(document: Document, method: string, path: string, operation: Operation): Method {
  const [group = '', name = ''] = operation.operationId.split('.').map(camel);
  const type = `types.${pascal(operation.operationId)}`;
  const { kind, returns } = callOf(document, operation);
  const hasNone = takesNothing(operation);
  const params = `params: Input<${type}Data>${needsNothing(document, operation) ? ' = {}' : ''}, `;
  const passed = [
    `'${method.toUpperCase()} ${path}'`,
    hasNone ? '{}' : 'params',
    'options',
    ...flagsOf(operation, method),
  ];
  const text = `${comment(operation)}
  ${name}(${hasNone ? '' : params}options?: CallOptions): ${returns} {
    return this.${kind}(${passed.join(', ')});
  }`;
  return { group, text };
}

/** How the response is read, and the type that the method returns. */
function callOf(document: Document, { responses }: Operation) {
  const [response] = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const content = response?.[1].content ?? {};
  const lines = content['application/x-ndjson']?.schema;
  if (lines !== undefined) return { kind: 'lines', returns: `Lines<${typeOf(lines)}>` };
  if ('application/octet-stream' in content) return { kind: 'response', returns: 'Promise<Response>' };
  if ('text/html' in content) return { kind: 'text', returns: 'Promise<string>' };
  const schema = content['application/json']?.schema ?? {};
  const { properties = {} } = resolve(document, schema);
  const isPage = 'pagination' in properties || ('items' in properties && 'pages' in properties);
  return isPage
    ? { kind: 'pages', returns: `Pages<${typeOf(schema)}>` }
    : { kind: 'json', returns: `Promise<${typeOf(schema)}>` };
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return `types.${nameOf(schema)}`;
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.type === 'array' && schema.items !== undefined) return `${typeOf(schema.items)}[]`;
  if (schema.type === 'null') return 'null';
  if (schema.type === 'object' && Object.keys(schema.properties ?? {}).length === 0)
    return 'Record<string, never>';
  throw new Error(`A response has no name: give its schema an id. ${JSON.stringify(schema)}`);
}

// What a call needs besides its parameters: an idempotency key, headers that are parameters, a body, no credential.
function flagsOf({ parameters = [], requestBody, security }: Operation, method: string): string[] {
  const headers = parameters.filter((one) => one.in === 'header').map(({ name }) => name);
  const names = headers.filter((name) => name !== 'Idempotency-Key');
  const flags = [
    ...(names.length < headers.length ? ['takesKey: true'] : []),
    ...(names.length > 0 ? [`headers: [${names.map((name) => `'${name}'`).join(', ')}]`] : []),
    ...(requestBody?.content['multipart/form-data'] === undefined ? [] : ['isForm: true']),
    ...(method === 'delete' && requestBody !== undefined ? ['hasBody: true'] : []),
    ...(security.every((one) => Object.keys(one).length === 0) ? ['isOpen: true'] : []),
  ];
  return flags.length === 0 ? [] : [`{ ${flags.join(', ')} }`];
}

function needsNothing(document: Document, { parameters = [], requestBody }: Operation): boolean {
  if (parameters.some(({ required }) => required)) return false;
  const schema = requestBody?.content['application/json']?.schema;
  return (
    schema === undefined || !requestBody?.required || (resolve(document, schema).required ?? []).length === 0
  );
}

function takesNothing({ parameters = [], requestBody }: Operation): boolean {
  return requestBody === undefined && parameters.every(({ name }) => name === 'Idempotency-Key');
}

function resolve({ components }: Document, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  return components.schemas[nameOf(schema)] ?? {};
}

function nameOf(schema: Schema | undefined): string {
  return schema?.$ref?.split('/').at(-1) ?? '';
}

function comment({ summary, description }: Operation): string {
  // The hint of streams names a page and a program that are not this client's.
  const [first = ''] = (description ?? '').split('\n\nThe response is too long');
  const text = first === '' ? [summary] : [`${summary}.`, ...first.split('\n')];
  if (text.length === 1) return `  /** ${summary} */`;
  return ['  /**', ...text.map((line) => `   * ${line}`.trimEnd()), '   */'].join('\n');
}

function camel(name: string): string {
  return name.replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
}

function pascal(name: string): string {
  return name.replace(/(?:^|[-_.])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
