import t from 'tap';
import { z } from 'zod';
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

t.test('all routes except streams and browser pages can be tried out', async (t) => {
  const marked = operations.filter((one) => one['x-try-out'] === false).map(({ operationId }) => operationId);
  t.strictSame(
    new Set(marked),
    new Set([
      ...['api-gateway.export', 'api-gateway.download', 'api-gateway.workoutStreams'],
      ...['connect.callback', 'connect.result', 'fhir.exportFile', 'file-import.original'],
    ]),
  );
});
