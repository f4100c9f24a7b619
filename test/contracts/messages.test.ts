import t from 'tap';
import { z } from 'zod';
import { loadConfig } from '../../config.ts';
import { contracts } from '../../contracts/all.ts';
import type { Contract } from '../../domain/contract.ts';
import { parseParams } from '../../domain/params.ts';
import { listed, plainMessage } from '../../domain/plain-message.ts';
import { seriesTypes } from '../../domain/records/series.ts';
import { pulledNames, pullOf } from '../../providers/all.ts';
import { jsonSchema } from '../../services/api-gateway/rules/components.ts';

const definitions = contracts.flatMap((contract: Contract) =>
  Object.entries(contract.actions).map(([name, action]) => [`${contract.name}.${name}`, action] as const),
);
const Failure = z.object({
  message: z.string(),
  data: z.object({ errors: z.array(z.object({ field: z.string(), message: z.string() })) }),
});

/** Terms of the validator that messages must not contain. */
const raw = /invalid|expected|, received|too (big|small)|unrecogni[sz]ed|pattern|zod|nan\b|undefined|regex/i;
const wrong: readonly unknown[] = [
  undefined,
  null,
  '',
  'x',
  'x'.repeat(20_000),
  -1,
  1.5,
  1e300,
  true,
  [],
  ['x', 'x'],
  {},
];

function failureOf(schema: z.ZodType, params: unknown) {
  try {
    parseParams(schema, params);
    return null;
  } catch (error) {
    return Failure.parse(error);
  }
}

function fieldsOf(schema: z.ZodType): string[] {
  const { properties, anyOf } = z
    .looseObject({
      properties: z.record(z.string(), z.unknown()).optional(),
      anyOf: z.array(z.object({ properties: z.record(z.string(), z.unknown()) })).optional(),
    })
    .parse(jsonSchema(schema));
  return [properties ?? {}, ...(anyOf ?? []).map((form) => form.properties)].flatMap((one) =>
    Object.keys(one),
  );
}

t.test('the error of any wrong parameter of any action is short and without validator terms', async (t) => {
  const told: string[] = [];
  for (const [name, { params }] of definitions)
    for (const field of fieldsOf(params))
      for (const value of wrong) {
        const failure = failureOf(params, { [field]: value });
        for (const error of failure?.data.errors ?? []) told.push(`${name} ${error.field} ${error.message}`);
        if (failure !== null) told.push(failure.message);
      }
  t.ok(told.length > 1000, `${told.length} were looked at`);
  t.strictSame([...new Set(told.filter((text) => raw.test(text)))], []);
  t.strictSame([...new Set(told.filter((text) => text.length > 300))], []);
});

t.test('missing, mistyped and repeated values have different errors', async (t) => {
  const schema = z.object({
    text: z.string(),
    number: z.number(),
    whole: z.int(),
    flag: z.boolean(),
    either: z.union([z.string(), z.number()]),
    order: z.enum(['asc', 'desc']),
    list: z.array(z.string()),
    object: z.object({ inner: z.email() }),
  });
  const told = (params: unknown) =>
    Object.fromEntries(
      (failureOf(schema, params)?.data.errors ?? []).map(({ field, message }) => [field, message]),
    );
  const missing = told({});
  t.same(new Set(Object.values(missing)), new Set(['is required']));
  t.equal(Object.keys(missing).length, 8);
  t.same(
    told({ text: 1, number: 'x', whole: 1.5, flag: 'x', either: true, order: 'up', list: 'x', object: [] }),
    {
      text: 'must be text',
      number: 'must be a number',
      whole: 'must be a whole number',
      flag: 'must be true or false',
      either: 'must be a number',
      order: 'must be asc or desc',
      list: 'must be a list',
      object: 'must be an object',
    },
  );
  const twice = ['a', 'b'];
  const one = 'must be a single value, not a list';
  t.match(told({ text: twice, either: twice, order: twice }), { text: one, either: one, order: one });
  t.match(told({ object: { inner: 'x' } }), { 'object.inner': 'must be a valid e-mail address' });
});

t.test('the error of a bound has its unit', async (t) => {
  const of = (schema: z.ZodType, value: unknown) =>
    schema.safeParse(value, { error: plainMessage }).error?.issues[0]?.message;
  const cases: [z.ZodType, unknown, string][] = [
    [z.string().max(3), 'abcd', 'must have at most 3 characters'],
    [z.string().min(1), '', 'must not be empty'],
    [z.string().min(2), 'a', 'must have at least 2 characters'],
    [z.string().length(1), 'ab', 'must have exactly 1 character'],
    [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 entry'],
    [z.number().min(3), 2, 'must be at least 3'],
    [z.number().gt(3), 3, 'must be above 3'],
    [z.number().max(3), 4, 'must be at most 3'],
    [z.number().lt(3), 3, 'must be below 3'],
    [z.number().multipleOf(5), 4, 'must be a multiple of 5'],
    [z.uuid(), 'x', 'must be a UUID'],
    [z.string().regex(/a/), 'b', 'has the wrong form'],
    [z.strictObject({}), { a: 1, b: 2 }, 'must not have a or b'],
  ];
  for (const [schema, value, message] of cases) t.equal(of(schema, value), message);
  t.equal(listed(['a', 'b', 'c'], 'and'), 'a, b and c');
});

t.test('for a long enum the error names the refused value and the three nearest', async (t) => {
  const schema = z.object({ types: z.enum(seriesTypes) });
  t.match(failureOf(schema, { types: 'heart-rat' }), {
    message:
      'types: "heart-rat" is unknown; the nearest are heart_rate, resting_heart_rate and walking_heart_rate_average.',
  });
  const long = failureOf(schema, { types: 'x'.repeat(10_000) });
  t.ok((long?.message.length ?? 0) < 300);
});

t.test('the error of a setting is without validator terms', async (t) => {
  const names = [
    'LOG_LEVEL',
    'SANDBOX',
    'ADMIN_EMAIL',
    'EVENT_DELETE',
    'PORT',
    'DATABASE_URL',
    'TRACING_SAMPLE',
  ];
  const bad = Object.fromEntries(names.map((name) => [name, 'x']));
  try {
    loadConfig(bad);
    t.fail('it was taken');
  } catch (error) {
    t.notMatch(String(error), raw);
    t.match(String(error), 'EVENT_DELETE: must be mark or remove');
  }
});

t.test('the store accepts what a read of each pulled type replaces', async (t) => {
  const [, replace] = definitions.find(([name]) => name === 'timeseries.replace') ?? [];
  const user_id = '00000000-0000-4000-8000-000000000000';
  const span = { start_ms: 0, end_ms: 1 };
  const refused = pulledNames.flatMap((provider) =>
    Object.entries(pullOf(provider).types).flatMap(([data_type, { replaces }]) => {
      const { series = [], devices = null, together = [], records = [] } = replaces;
      const replaced = { data_type, series, devices, together, records, ...span };
      const params = { user_id, provider, items: [], replaces: replaced };
      return replace?.params.safeParse(params).success === true ? [] : `${provider} ${data_type}`;
    }),
  );
  t.same(refused, []);
});
