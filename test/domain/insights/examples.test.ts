import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import { insightMethods } from '../../../domain/insights/methods.ts';
import { same } from './same.ts';

const root = join(import.meta.dirname, '../../..');
const Example = z.strictObject({
  method: z.enum(Object.keys(insightMethods).filter((name) => name in insightMethods)),
  input: z.array(z.unknown()),
  result: z.unknown(),
});
const functions: Readonly<Record<string, { readonly of: (...input: never[]) => unknown }>> = insightMethods;

const pages = globSync('docs/insights/*.md', { cwd: root }).map((file) => ({
  file,
  examples: [...readFileSync(join(root, file), 'utf8').matchAll(/```json\n([^`]+)```/g)].map(
    ([, text = '']) => Example.parse(JSON.parse(text)),
  ),
}));

t.test('the example of each page gives what the page says', async (t) => {
  const wrong = pages.flatMap(({ file, examples }) =>
    examples.flatMap(({ method, input, result }) => {
      const method_of = functions[method]?.of;
      const actual: unknown = method_of === undefined ? null : Reflect.apply(method_of, undefined, input);
      return same(actual, result) ? [] : [{ file, method, actual, result }];
    }),
  );
  t.same(wrong, []);
});

t.test('each method has an example, that of glucose in a test of its own', async (t) => {
  const shown = new Set(pages.flatMap(({ examples }) => examples.map(({ method }) => method)));
  t.same(
    Object.keys(insightMethods).filter((name) => !shown.has(name)),
    ['glucose_report'],
  );
});
