import t from 'tap';
import { jsonScan, passList, readValue } from '../../domain/json/json-scan.ts';

t.test('passList reports the position of each value', (t) => {
  for (const [text, values] of [
    ['[]', []],
    ['[ ]', []],
    ['[1, {"a":[]}]', ['1', '{"a":[]}']],
  ] as const) {
    const scan = jsonScan(Buffer.from(text));
    const found: string[] = [];
    passList(scan, (from, to) => found.push(text.slice(from, to).trim()));
    t.same(found, values, text);
    t.equal(scan.at, text.length, text);
  }
  t.end();
});

t.test('the fields of a large object are ordinary properties', (t) => {
  const text = JSON.stringify({ a: 'x'.repeat(300 * 1024) });
  t.same(
    Object.getOwnPropertyDescriptors(readValue(jsonScan(Buffer.from(text)))),
    Object.getOwnPropertyDescriptors(JSON.parse(text)),
  );
  t.end();
});
