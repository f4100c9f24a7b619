import t from 'tap';
import { skipped } from '../../../providers/file/entry.ts';
import { contentOfChunks } from '../../../services/file-import/rules/content.ts';
import { FileProblem } from '../../../services/file-import/rules/file-bytes.ts';
import { readElements } from '../../../services/file-import/rules/read-elements.ts';

const table = {
  form: 'elements',
  pattern: /./,
  list: ['data', 'rows'],
  read: (element: unknown) => [skipped(JSON.stringify(element), 'A test.')],
} as const;

/** The elements that are read of a document, and the problem that ends it. */
async function elementsOf(document: string, list: readonly string[] = table.list) {
  async function* chunks() {
    for (let at = 0; at < document.length; at += 100_000) yield Buffer.from(document.slice(at, at + 100_000));
  }
  const content = await contentOfChunks(chunks(), document.length);
  const elements: string[] = [];
  let problem: unknown = null;
  try {
    for await (const { entries } of readElements(content, { ...table, list }, 'a.json'))
      for (const entry of entries) if (entry?.kind === 'skipped') elements.push(entry.type);
  } catch (error) {
    problem = error;
  }
  return { elements, problem };
}

const damaged = new FileProblem('The JSON of a member is cut off or damaged.');

t.test('gives the elements of the array that is named', async (t) => {
  const document = '{"rows": [7], "data": {"rows": [{"a": [1, 2]}, 3, null, "x"], "others": [5]}}';
  t.same(await elementsOf(document), { elements: ['{"a":[1,2]}', '3', 'null', '"x"'], problem: null });
  t.same(await elementsOf('[1, [2]]', []), { elements: ['1', '[2]'], problem: null });
  t.same(await elementsOf('{"a": 1}', []), { elements: ['{"a":1}'], problem: null });
  t.same(await elementsOf('{"data": {}}'), { elements: [], problem: null });
  t.same(await elementsOf('\uFEFF[1]', []), { elements: ['1'], problem: null });
});

t.test('gives the elements of the arrays in each element of an array', async (t) => {
  const document = '[{"rows": [1, 2], "others": [3]}, {"others": []}, 4, {"rows": [[5]]}]';
  const elements = ['1', '2', '[5]'];
  t.same(await elementsOf(document, ['*', 'rows']), { elements, problem: null });
  const cut = document.slice(0, -2);
  t.same(await elementsOf(cut, ['*', 'rows']), { elements, problem: damaged });
  t.same(await elementsOf('{"rows": [1]}', ['*', 'rows']), { elements: [], problem: null });
});

t.test('gives the elements before a damage, and names it', async (t) => {
  for (const document of [
    '{"data":{"rows":[1,{"b":2},{"c',
    '{"data":{"rows":[1,{"b":2},}]}}',
    '{"data":{"rows":[1,{"b":2}',
  ])
    t.same(await elementsOf(document), { elements: ['1', '{"b":2}'], problem: damaged }, document);
  t.same(await elementsOf('no JSON', []), { elements: [], problem: damaged });
  t.same(await elementsOf('', []), { elements: [], problem: damaged });
});

t.test('reads a large document one element after the other', async (t) => {
  const row = JSON.stringify({ text: 'x'.repeat(1000) });
  const count = 20_000;
  const document = `{"data":{"rows":[${Array.from({ length: count }, () => row).join(',')}]}}`;
  const whole = await elementsOf(document);
  t.equal(whole.elements.length, count);
  t.equal(whole.problem, null);
  const cut = await elementsOf(document.slice(0, -500));
  t.equal(cut.elements.length, count - 1);
  t.same(cut.problem, damaged);
});

t.test('reads NaN as null, but not in a text', async (t) => {
  const document = '{"a": [NaN, 1,NaN ], "b": "NaN, \\" NaN", "c":NaN}';
  const elements = ['{"a":[null,1,null],"b":"NaN, \\" NaN","c":null}'];
  t.same(await elementsOf(document, []), { elements, problem: null });
  t.same(await elementsOf('{"data":{"rows":[NaN, 2]}}'), { elements: ['null', '2'], problem: null });
});

t.test('reads a large document that is a single element as a whole', async (t) => {
  const values = (bytes: number) => `\uFEFF {"values":[${'1.5,'.repeat(bytes / 4)}NaN]}`;
  const { elements, problem } = await elementsOf(values(10_000_000), []);
  t.equal(problem, null);
  t.equal(elements.length, 1);
  t.same(await elementsOf(values(70_000_000), []), {
    elements: [],
    problem: new FileProblem('A member of one element is larger than 64 MiB.'),
  });
});
