import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import { asJson } from '../../services/api-gateway/rules/components.ts';
import { openapiDocument } from '../../services/api-gateway/rules/openapi.ts';

const document: unknown = JSON.parse(JSON.stringify(openapiDocument()));

/** A value of the document and the keys that lead to it. */
type Place = readonly [path: readonly string[], value: unknown];

function* placesOf(value: unknown, path: readonly string[] = []): Generator<Place> {
  yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* placesOf(inner, [...path, key]);
}

const places = [...placesOf(document)];
const components = Object.entries(asJson(asJson(document).components)).flatMap(([kind, parts]) =>
  kind === 'securitySchemes' ? [] : Object.keys(asJson(parts)).map((name) => `#/components/${kind}/${name}`),
);
const references = places.flatMap(([path, value]) =>
  path.at(-1) === '$ref' && typeof value === 'string' ? [value] : [],
);

// Texts and examples may differ where a schema is used.
const texts = new Set(['description', 'example', 'examples']);
const shapeOf = (schema: unknown) => {
  const kept = Object.entries(asJson(schema)).filter(([key]) => !texts.has(key));
  return JSON.stringify(kept.toSorted(([a], [b]) => (a < b ? -1 : 1)));
};
const isNameable = (value: unknown) => {
  const { type, enum: values, properties } = asJson(value);
  return (type === 'object' && Object.keys(asJson(properties)).length > 0) || Array.isArray(values);
};

t.test('every reference leads to a component, and every component is used', async (t) => {
  t.strictSame([...new Set(references)].toSorted(), components.toSorted());
  t.ok(components.includes('#/components/schemas/User'));
});

t.test('every object and enum of the same form occurs once', async (t) => {
  const nameable = places.filter(([path, value]) => isNameable(value) && !path.includes('example'));
  const groups = Map.groupBy(nameable, ([, value]) => shapeOf(value));
  const repeated = [...groups.values()].filter(({ length }) => length > 1);
  t.strictSame(
    repeated.map((group) => group.map(([path]) => path.join(' '))),
    [],
  );
  t.ok(nameable.length > 80, `${nameable.length} schemas were compared`);
});

t.test('every answer in JSON and every body is a component, an array of one or null', async (t) => {
  const schemas = places.filter(([path]) => path.at(-1) === 'schema' && path.at(-3) === 'content');
  const inline = schemas.filter(([path, value]) => {
    const { $ref, items, anyOf } = asJson(value);
    const forms = Array.isArray(anyOf) ? anyOf : [$ref === undefined ? asJson(items) : value];
    return (
      !path.some((part) => /^text\/|gpx|geo\+json|tcx/.test(part)) &&
      !forms.some((one) => '$ref' in asJson(one))
    );
  });
  // These answer with an empty object.
  t.strictSame(inline.map(([path]) => path[1]).sort(), [
    '/auth/forgot-password',
    '/auth/reset-password',
    '/auth/revoke',
    '/auth/totp',
  ]);
});

/*
 * What the recommended rules of Redocly find. `/health`, `/ready` and the health checks of webhooks take no parameters
 * and no credential, so they have no 4xx. The explanation of an activity summary is a map of all fields: its names are
 * in `propertyNames`, and JSON Schema needs no `properties` for `required`.
 */
const accepted = {
  'operation-4xx-response': [
    '#/paths/~1health/get/responses',
    '#/paths/~1ready/get/responses',
    '#/paths/~1webhooks~1activitynet~1health/get/responses',
    '#/paths/~1webhooks~1devicemaker~1health/get/responses',
  ],
  'no-required-schema-properties-undefined': ['#/components/schemas/ActivityExplanation/required'],
};
const Report = z.object({
  problems: z.array(
    z.object({
      ruleId: z.string(),
      severity: z.string(),
      location: z.array(z.object({ pointer: z.string() })),
    }),
  ),
});

function lint() {
  const manifest = createRequire(import.meta.url).resolve('@redocly/cli/package.json');
  const program = join(manifest, '../bin/cli.js');
  const file = join(import.meta.dirname, '../../openapi.json');
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const options = ['lint', file, '--extends=recommended', '--format=json', '--max-problems=1000'];
  return Report.parse(
    JSON.parse(spawnSync(process.execPath, [program, ...options], { env, encoding: 'utf8' }).stdout),
  ).problems;
}

t.test('openapi.json passes the recommended rules of Redocly', async (t) => {
  const found: Record<string, string[]> = {};
  for (const { ruleId, location } of lint())
    found[ruleId] = [...(found[ruleId] ?? []), location[0]?.pointer.replace(/\/\d+$/, '') ?? ''];
  const places = Object.fromEntries(
    Object.entries(found).map(([rule, pointers]) => [rule, [...new Set(pointers)].toSorted()]),
  );
  t.strictSame(places, accepted);
});
