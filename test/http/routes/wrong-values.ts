import { takesQuery } from '../../../domain/contract.ts';
import { asJson, jsonSchema, propertiesOf } from '../../../services/api-gateway/rules/components.ts';
import { type Endpoint, pathParameters } from '../../../services/api-gateway/rules/endpoints.ts';

/** The fields of a route's query or body, with their JSON Schemas. */
export function fieldsOf({ definition, route }: Endpoint): [name: string, schema: unknown][] {
  const inPath = pathParameters(route.path);
  return Object.entries(propertiesOf(jsonSchema(definition.params))).filter(
    ([name]) => !inPath.includes(name),
  );
}

/** Common misspellings of a name. */
export function misspellings(name: string): string[] {
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return [...new Set([camel, name.toUpperCase(), `${name}s`, name.slice(0, -1), `${name}[x]`])].filter(
    (text) => text !== name && text.length > 1,
  );
}

/** Sets of values, each of which the field of its name refuses. */
export function wrongValuesOf(endpoint: Endpoint): Readonly<Record<string, unknown>>[] {
  const fields = fieldsOf(endpoint);
  const names = fields.map(([name]) => name);
  const isQuery = takesQuery(endpoint.route);
  const wrong = (values: (name: string, forms: readonly Form[]) => unknown) =>
    Object.fromEntries(
      fields.flatMap(([name, schema]) => {
        const value = values(name, formsOf(schema));
        return value === undefined ? [] : [[name, value]];
      }),
    );
  const sets = [
    wrong((_, forms) => (isQuery ? wrongText(forms) : wrongType(forms))),
    wrong((_, forms) => tooLarge(forms)),
    wrong((_, forms) => tooMany(forms)),
    wrong((_, forms) => malformed(forms)),
  ];
  if (isQuery)
    for (const value of ['0', '1.5', '1000000'])
      sets.push(wrong((name) => (name === 'limit' ? value : undefined)));
  for (const kind of ['time', 'date'])
    if (names.includes(`start_${kind}`) && names.includes(`end_${kind}`)) {
      sets.push({ [`start_${kind}`]: '2026-01-03', [`end_${kind}`]: '2026-01-01' });
      sets.push({ [`start_${kind}`]: '2026-02-30', [`end_${kind}`]: '2026-03-02' });
    }
  const isOfUser = pathParameters(endpoint.route.path).every((name) => name === 'user_id');
  if (isQuery && isOfUser && names.includes('cursor')) sets.push({ cursor: 'broken' });
  return sets.filter((set) => Object.keys(set).length > 0);
}

interface Form {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly format?: unknown;
  readonly maxLength?: unknown;
  readonly minLength?: unknown;
  readonly maxItems?: unknown;
  readonly items?: unknown;
  readonly maximum?: unknown;
}

function formsOf(schema: unknown): Form[] {
  const { anyOf, type, ...rest } = asJson(schema);
  if (Array.isArray(anyOf)) return anyOf.flatMap(formsOf);
  return Array.isArray(type) ? type.map((one) => ({ ...rest, type: one })) : [{ ...rest, type }];
}

/** A text of a query that none of the forms allows; undefined if any text is one. */
function wrongText(forms: readonly Form[]): string | undefined {
  const isFree = forms.some(
    (form) =>
      form.type === 'string' && form.enum === undefined && form.const === undefined && form.format !== 'uuid',
  );
  return isFree ? undefined : 'nonsense';
}

/** A value of a type that none of the forms has. */
function wrongType(forms: readonly Form[]): unknown {
  const types = forms.map(({ type }) => type);
  if (types.includes(undefined)) return undefined;
  const values: [string, unknown][] = [
    ['number', 7],
    ['boolean', true],
    ['object', {}],
  ];
  return values.find(
    ([type]) => !types.includes(type) && !(type === 'number' && types.includes('integer')),
  )?.[1];
}

function tooLarge(forms: readonly Form[]): unknown {
  const lengths = forms.flatMap(({ maxLength }) => (typeof maxLength === 'number' ? [maxLength] : []));
  const maxima = forms.flatMap(({ maximum }) => (typeof maximum === 'number' ? [maximum] : []));
  if (maxima.length > 0) return Math.max(...maxima) + 1;
  const isText = lengths.length > 0 && Math.max(...lengths) <= 1000;
  return isText ? 'x'.repeat(Math.max(...lengths) + 1) : undefined;
}

/** One entry more than a list may have. */
function tooMany(forms: readonly Form[]): unknown {
  const list = forms.find(({ type }) => type === 'array');
  const values = asJson(list?.items).enum;
  if (typeof list?.maxItems !== 'number' || !Array.isArray(values)) return undefined;
  return Array.from({ length: list.maxItems + 1 }, () => values[0]);
}

function malformed(forms: readonly Form[]): unknown {
  if (forms.some(({ format }) => format === 'email')) return 'nobody';
  const isNeverEmpty = forms.every(({ type, minLength }) => type === 'string' && Number(minLength) > 0);
  return isNeverEmpty ? '' : undefined;
}
