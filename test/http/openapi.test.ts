import t from 'tap';
import { z } from 'zod';
import { endpoints } from '../../services/api-gateway/rules/endpoints.ts';
import { openapiDocument } from '../../services/api-gateway/rules/openapi.ts';

const Described = z.object({ description: z.string().optional() });
const Operation = z.object({
  operationId: z.string(),
  tags: z.tuple([z.string()]),
  description: z.string().optional(),
  parameters: z.array(Described.extend({ name: z.string() })),
  requestBody: z
    .object({
      content: z.record(z.string(), z.object({ schema: z.object({ $ref: z.string() }) })),
    })
    .optional(),
  'x-try-out': z.literal(false).optional(),
});
const document = z
  .object({
    tags: z.array(Described.extend({ name: z.string() })),
    paths: z.record(z.string(), z.record(z.string(), Operation)),
    components: z.object({
      schemas: z.record(
        z.string(),
        Described.extend({
          $ref: z.string().optional(),
          properties: z.record(z.string(), Described.extend({ $ref: z.string().optional() })).optional(),
        }),
      ),
    }),
  })
  .parse(openapiDocument());
const componentOf = (ref = '') => document.components.schemas[ref.replace('#/components/schemas/', '')];
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

t.test('every route is in the document, with its failures', async (t) => {
  const text = JSON.stringify(openapiDocument());
  for (const { action } of endpoints) t.match(text, `"operationId":"${action}"`);
  t.notMatch(text, 'auth.admit');
  t.notMatch(text, 'timeseries.store');
});

t.test(
  'operations inherit nothing, so that the page at /docs reads them without normalising the document',
  async (t) => {
    const { security, paths } = z
      .object({
        security: z.unknown().optional(),
        paths: z.record(z.string(), z.record(z.string(), z.looseObject({}))),
      })
      .parse(openapiDocument());
    t.equal(security, undefined);
    const offenders = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => operation.security === undefined || operation.servers !== undefined)
        .map(([method]) => `${method} ${path}`),
    );
    t.strictSame(offenders, []);
  },
);

const described = ([name, one]: [string, { description?: string | undefined; $ref?: string | undefined }]) =>
  [name, one.description === undefined ? (componentOf(one.$ref) ?? one) : one] as const;

t.test('every parameter and every field of a body has a description', async (t) => {
  const silent = operations.flatMap(({ operationId, parameters, requestBody }) => {
    const fields = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
      Object.entries(componentOf(schema.$ref)?.properties ?? {}),
    );
    return [...parameters.map((one) => [one.name, one] as const), ...fields.map(described)]
      .filter(([, { description = '' }]) => description.length < 5)
      .map(([name]) => `${operationId} ${name}`);
  });
  t.strictSame(silent, []);
  t.ok(operations.flatMap(({ parameters }) => parameters).length > 100);
});

// Words of prose that reference texts of the API avoid: the component is the subject, and it does or returns something.
const avoided =
  /how far|\btold\b|\btells?\b|asked for|left out|what (becomes?|became) of|nobody|in work|goes on|\bbehind\b|is dead|stand alone|\bours\b/i;

function* textsOf(value: unknown, path = ''): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value))
    if ((key === 'description' || key === 'summary') && typeof inner === 'string') yield `${path}: ${inner}`;
    else yield* textsOf(inner, `${path} ${key}`);
}

t.test('summaries and descriptions are written as a reference', async (t) => {
  const texts = [...textsOf(openapiDocument())];
  t.strictSame(
    texts.filter((text) => avoided.test(text)),
    [],
  );
  t.ok(texts.length > 300, `${texts.length} texts were read`);
});

t.test('the sections are in the order of first use', async (t) => {
  const sections = document.tags.map(({ name }) => name);
  t.strictSame(sections, [
    ...['Accounts', 'Projects', 'API keys', 'Users', 'Connections', 'Data', 'FHIR', 'Changes'],
    'Destinations',
    ...['Insights', 'Freshness', 'Tokens', 'Applications', 'Uploads', 'Imports', 'Webhooks', 'Operations'],
  ]);
  t.ok(document.tags.every(({ description = '' }) => description.length > 10));
  const used = [...new Set(operations.map(({ tags: [tag] }) => tag))];
  t.strictSame(used, sections);
  const first = (tag: string) => operations.find(({ tags }) => tags[0] === tag)?.operationId;
  t.equal(first('Accounts'), 'auth.login');
  t.equal(first('Data'), 'timeseries.samples');
});

t.test('all routes except streams and browser pages can be tried out', async (t) => {
  const marked = operations.filter((one) => one['x-try-out'] === false).map(({ operationId }) => operationId);
  t.strictSame(
    new Set(marked),
    new Set([
      ...['api-gateway.export', 'api-gateway.download', 'api-gateway.workoutStreams'],
      ...['connect.callback', 'connect.result', 'fhir.exportFile'],
    ]),
  );
});
