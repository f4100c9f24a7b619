import { createHash } from 'node:crypto';
import t from 'tap';
import { contentHash } from '../../../providers/devicemaker/normalise/content-hash.ts';

const item = '{"b":{"y":[1,{"q":null,"p":"x"}],"x":2},"a":true,"30":7,"3":8,"5000000000":1,"-1":2}';
const turned = '{"3":8,"-1":2,"5000000000":1,"30":7,"a":true,"b":{"x":2,"y":[1,{"p":"x","q":null}]}}';

t.test('the order of keys makes no difference, at any depth', async (t) => {
  t.match(contentHash(JSON.parse(item)), /^[0-9a-f]{64}$/);
  t.equal(contentHash(JSON.parse(turned)), contentHash(JSON.parse(item)));
});

const others: readonly string[] = [
  '{"a":1,"b":2}',
  '{"a":1}',
  '{"a":"1"}',
  '{"a":[1]}',
  '{"a":{"0":1}}',
  '{"a":null}',
  '{}',
  '{"a":[1,2]}',
  '{"a":[2,1]}',
  '{"a":{"b":1},"c":2}',
  '{"a":{"b":1,"c":2}}',
  '{"__proto__":{"a":1}}',
  '{"__proto__":{"a":2}}',
];

t.test('other content has another hash', async (t) => {
  t.equal(new Set(others.map((text) => contentHash(JSON.parse(text)))).size, others.length);
});

t.test('whose item it is does not belong to its content', async (t) => {
  t.equal(contentHash({ userId: 'a', userAccessToken: 't', x: 1 }), contentHash({ x: 1 }));
  t.not(contentHash({ x: { userId: 'a' } }), contentHash({ x: {} }), 'but what stands deeper does');
});

t.test('nesting past anything real has none', async (t) => {
  const nested = (depth: number) => JSON.parse(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`);
  t.match(contentHash(nested(32)), /^[0-9a-f]{64}$/);
  t.equal(contentHash(nested(33)), null);
  t.equal(contentHash(nested(5000)), null);
});

t.test('it is that of the text which JSON.stringify makes, also of long lists, made in pieces', async (t) => {
  const long = Array.from({ length: 2500 }, (_, n) => ({ a: n, b: [n, null, 'ü'] }));
  for (const item of [
    {},
    { a: [] },
    { a: 1, b: {} },
    { a: long.slice(0, 1001), b: long, c: 'x' },
    { a: long },
  ])
    t.equal(contentHash(item), createHash('sha256').update(JSON.stringify(item)).digest('hex'));
});

t.test('an undefined field is the same as an absent one', async (t) => {
  t.equal(contentHash({ x: 1, samples: undefined }), contentHash({ x: 1 }));
});
