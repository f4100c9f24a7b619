import t from 'tap';
import { z } from 'zod';
import { mostTypes } from '../../contracts/timeseries/schemas.ts';
import { formOf, jsonSchema, propertiesOf } from '../../services/api-gateway/rules/components.ts';
import { endpoints } from '../../services/api-gateway/rules/endpoints.ts';
import { block, item } from '../services/timeseries/items.ts';
import { createUser, startApi } from '../support/api.ts';

const api = await startApi(t);
const user = await createUser(api);
const start = Date.UTC(2026, 0, 1);
const stored = ['heart_rate', 'steps', 'weight'] as const;
await api.call('timeseries.store', {
  user_id: user,
  provider: 'devicemaker',
  items: [
    item({
      samples: stored.map((type) =>
        block(type, [
          [start, 60],
          [start + 60_000, 61],
        ]),
      ),
    }),
  ],
});
const Refused = z.object({ errors: z.array(z.object({ field: z.string() })) });
const range = 'start_time=2026-01-01&end_time=2026-01-02';
const path = `/users/${user}/timeseries?${range}`;
const Page = z.object({
  data: z.array(z.object({ type: z.string() })),
  pagination: z.object({ next_cursor: z.string().nullable(), total_count: z.int() }),
});

/** The ways in which clients send a list. */
const styles: Readonly<Record<string, (name: string, values: readonly string[]) => string>> = {
  repeated: (name, values) => values.map((value) => `${name}=${value}`).join('&'),
  'with brackets': (name, values) => values.map((value) => `${name}[]=${value}`).join('&'),
  'with escaped brackets': (name, values) => values.map((value) => `${name}%5B%5D=${value}`).join('&'),
  'with indexes': (name, values) => values.map((value, index) => `${name}[${index}]=${value}`).join('&'),
  'with commas': (name, values) => `${name}=${values.join(',')}`,
  'with commas and blanks': (name, values) => `${name}=${values.join('%2C%20')}`,
  'with commas in brackets': (name, values) => `${name}[]=${values.join(',')}`,
  mixed: (name, [first = '', ...rest]) =>
    [`${name}[]=${first}`, ...rest.map((value) => `${name}=${value}`)].join('&'),
};

for (const [style, write] of Object.entries(styles))
  t.test(`a list is accepted ${style}`, async (t) => {
    const wanted = ['heart_rate', 'weight'];
    const page = Page.parse(await api.expect(200, `${path}&${write('types', wanted)}&limit=3`));
    t.equal(page.pagination.total_count, 4);
    t.strictSame(new Set(page.data.map(({ type }) => type)), new Set(wanted));
    const cursor = page.pagination.next_cursor ?? '';
    const next = await api.expect(200, `${path}&types=weight&types=heart_rate&limit=3&cursor=${cursor}`);
    t.equal(Page.parse(next).data.length, 1, 'its cursor goes on in any other style and order');
    t.match(Page.parse(await api.expect(200, `${path}&${write('types', ['steps'])}`)).pagination, {
      total_count: 2,
    });
  });

t.test('an error names the position of a wrong value in a list', async (t) => {
  const fieldOf = async (query: string) => {
    const { errors } = Refused.parse(await api.expect(422, `${path}&${query}`));
    return errors[0]?.field;
  };
  for (const query of ['types=pulse', 'types[]=pulse', 'types[0]=pulse', 'types='])
    t.equal(await fieldOf(query), 'types', query);
  for (const query of [
    'types=steps,pulse',
    'types[]=steps&types[]=pulse',
    'types=steps&types=pulse',
    'types=steps,',
  ])
    t.equal(await fieldOf(query), 'types.1', query);
});

t.test('a short answer names the wrong value and the three nearest', async (t) => {
  const answer = await api.ask(`/api/v1${path}&types=heartrate`, { key: api.apiKey });
  t.match(answer.body, {
    detail:
      'types: "heartrate" is unknown; the nearest are heart_rate, resting_heart_rate and walking_heart_rate_average.',
  });
  const all = Array.from({ length: mostTypes }, (_, n) => `types=pulse${n}`).join('&');
  t.ok((await api.ask(`/api/v1${path}&${all}`, { key: api.apiKey })).text.length < 8000);
  const more = await api.ask(`/api/v1${path}&${all}&types=steps`, { key: api.apiKey });
  t.match(more.body, { detail: `types must have at most ${mostTypes} entries.` });
});

t.test('every list of every route is accepted in every style', async (t) => {
  const lists = endpoints.flatMap(({ definition, route }) =>
    route.method !== 'GET' || route.fhir === true // Its own tests have its lists.
      ? []
      : Object.entries(propertiesOf(jsonSchema(definition.params)))
          .filter(([, schema]) => formOf(schema, 'array') !== null)
          .map(([name]) => [route.path, name] as const),
  );
  t.strictSame([...new Set(lists.map(([, name]) => name))].sort(), [
    'aggregates',
    'include',
    'kinds',
    'providers',
    'types',
  ]);
  const offenders: string[] = [];
  for (const [route, name] of lists)
    for (const [style, write] of Object.entries(styles)) {
      const asked = `${route.replace(':user_id', user)}?${range}&${write(name, ['nonsense', 'x'])}`;
      const { errors } = Refused.parse(await api.expect(422, asked));
      if (!errors.some(({ field }) => field === `${name}.0`)) offenders.push(`${route} ${name} ${style}`);
    }
  t.strictSame(offenders, []);
});
