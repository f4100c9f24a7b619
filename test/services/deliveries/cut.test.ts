import t from 'tap';
import type { ProviderName } from '../../../providers/all.ts';
import { cutBody, cutList } from '../../../services/deliveries/cut.ts';
import { cutApart } from '../../../services/deliveries/cut-apart.ts';

const ours = new Set(['a1']);

/** What is left of a body: its text, null where nothing is; undefined where nothing was taken. */
function left(text: string, provider: ProviderName = 'devicemaker'): string | null | undefined {
  const cut = cutBody(provider, Buffer.from(text), ours);
  if (cut.kind === 'whole') return undefined;
  return cut.kind === 'rest' ? cut.body.toString() : null;
}

const cases: readonly (readonly [title: string, body: string, rest: string | null | undefined])[] = [
  [
    'takes the items of an account, and leaves every other byte',
    '{ "dailies" : [ {"userId":"a1","x":[{"userId":"b"}]} ,  {"steps":1.0,"userId":"b"} ], "other": 1e3 }',
    '{ "dailies" : [ null ,  {"steps":1.0,"userId":"b"} ], "other": 1e3 }',
  ],
  [
    'keeps the items of an account whose id begins or ends like it',
    '{"dailies":[{"userId":"a11","id":"a1-7"},{"userId":"ba1"},{"userId":"A1"}]}',
    undefined,
  ],
  [
    'finds it however JSON spells it, under whichever key',
    '{"odd":[{"\\u0075serId":"\\u00611"},{"userId":"b"}]}',
    '{"odd":[null,{"userId":"b"}]}',
  ],
  [
    'takes an item whose owner is named by another key, at any depth, or as a part of a text',
    '{"x":[{"userID":"a1","hr":61},{"user":{"ids":["\\u0061\\u0031"]},"hr":62},{"key":"user:a1"},{"userID":"b"}]}',
    '{"x":[null,null,null,{"userID":"b"}]}',
  ],
  [
    'takes an item whose userId is no id',
    '{"x":[{"userId":{"id":"a1"},"hr":61},{"userId":["a1"]},{"userId":null,"user":"a1"},{"userId":"b"}]}',
    '{"x":[null,null,null,{"userId":"b"}]}',
  ],
  [
    'takes the items of nested arrays each by itself, and a row with its cells',
    '{"x":[[{"userId":"a1"},[{"userId":"b"},{"userID":"a1"}]],["a1",61],[{"v":62},"a1"],["b",63],"a1",[]]}',
    '{"x":[[null,[{"userId":"b"},null]],null,null,["b",63],null,[]]}',
  ],
  [
    'of another owner’s item takes the values that are its id, and what holds them',
    '{"x":[{"userId":"b","device":"a1","a1":7,"with":{"id":"a1","hr":61},"by":["a1",62],"in":[{"id":"b"},{"userId":"a1"}]}]}',
    '{"x":[{"userId":"b","device":null,"":null,"with":null,"by":null,"in":[{"id":"b"},null]}]}',
  ],
  [
    'of an item within another owner’s item takes what names it, by the same rule',
    '{"x":[{"userId":"b","in":{"userId":"c","with":{"id":"a1"}},"data":{"on":{"id":"a1"},"hr":61}}]}',
    '{"x":[{"userId":"b","in":{"userId":"c","with":null},"data":{"on":null,"hr":61}}]}',
  ],
  [
    'of a name that comes twice takes the last for the owner',
    '{"x":[{"userId":"a1","userId":"b"},{"userId":"b","userId":"a1"}]}',
    '{"x":[{"userId":null,"userId":"b"},null]}',
  ],
  ['takes what stands in the place of an array', '{"x":{"userId":"a1"},"y":[1]}', '{"x":null,"y":[1]}'],
  [
    'takes an envelope that nobody reads',
    '{"data":{"x":[{"userId":"a1"}]},"y":[1]}',
    '{"data":null,"y":[1]}',
  ],
  ['takes what stands under its id', '{"a1":[{"hr":61}],"y":[1]}', '{"":null,"y":[1]}'],
  ['of nobody else’s items nothing is left', '{"x":[{"userId":"a1"}],"a1":[{"hr":61}]}', null],
  ['of places that were emptied before nothing is left', '{"x":[null,{"userId":"a1"}]}', null],
  ['no JSON that names it is not worth keeping', '{"x":[{"userId":"a1"', null],
  ['nor is no JSON that spells it with an escape', '{"x":[{"userId":"\\u00611"', null],
  ['nor is what stands behind JSON', '{"x":[{"userId":"b"}]} {"x":[{"userId":"a1"}]}', null],
  ['nor is another root', '[{"userId":"a1"}]', null],
  ['nor are a form, XML, and plain text', 'user=a1&hr=61', null],
  ['no JSON that does not name it stays', '{"x":[{"userId":"b"', undefined],
  ['an empty body stays', '', undefined],
  [
    'a body that is nested too deeply to be read is not worth keeping',
    `{"x":[{"userId":"b","in":${'['.repeat(300)}"a1"${']'.repeat(300)}},{"userId":"b"}]}`,
    null,
  ],
  [
    'and stays where it does not mention it',
    `{"x":[{"userId":"b","in":${'['.repeat(300)}"b"${']'.repeat(300)}},{"userId":"b"}]}`,
    undefined,
  ],
];

for (const [title, body, rest] of cases) t.test(title, async (t) => t.equal(left(body), rest));

t.test(
  'takes a numeric account from a number where it names the owner, not where it is measured',
  async (t) => {
    const body =
      '{"x":[{"userId":9007199254740993},{"userId":"9007199254740993"},{"userID":9007199254740993},{"userId":"b","n":9007199254740993}]}';
    const cut = cutBody('devicemaker', Buffer.from(body), new Set(['9007199254740993']));
    t.equal(
      cut.kind === 'rest' ? cut.body.toString() : cut.kind,
      '{"x":[null,null,null,{"userId":"b","n":9007199254740993}]}',
    );
  },
);

t.test('a body in UTF-16 that names an account is not worth keeping', async (t) => {
  const body = Buffer.from('{"x":[{"userId":"a1"}]}', 'utf16le');
  t.equal(cutBody('devicemaker', body, ours).kind, 'nothing');
  t.equal(cutBody('devicemaker', Buffer.from(body).swap16(), ours).kind, 'nothing');
  t.equal(cutBody('devicemaker', Buffer.from('{"x":[{"userId":"b1"}]}', 'utf16le'), ours).kind, 'whole');
});

t.test('names the places of what it took', async (t) => {
  const body = '{"pulseox":[{"userId":"b"},{"userId":"a1"}],"dailies":[{"userId":"a1"}]}';
  t.match(cutBody('devicemaker', Buffer.from(body), ours), { entries: ['pulseox[1]', 'dailies[0]'] });
});

t.test('an event is of one account, by the digits of its id', async (t) => {
  const of = (text: string) => cutBody('activitynet', Buffer.from(text), new Set(['9007199254740993'])).kind;
  t.equal(of('{"owner_id":9007199254740993,"object_id":1}'), 'nothing');
  t.equal(of('{"owner_id":9007199254740992,"object_id":9007199254740993}'), 'whole');
  t.equal(of('{"owner_id":"9007199254740993"}'), 'nothing');
  t.equal(of('no event of 9007199254740993'), 'nothing');
  t.equal(
    of('{"owner_id":9007199254740992,"object_type":"athlete","object_id":9007199254740993}'),
    'nothing',
  );
  t.equal(of('{"ownerId":9007199254740993,"updates":{"title":"x"}}'), 'nothing');
  t.equal(of('{"owner_id":{"id":9007199254740993}}'), 'nothing');
  t.equal(of('[{"owner_id":9007199254740993}]'), 'nothing');
  t.equal(of('{"owner_id":9007199254740993,"object_id":1'), 'nothing');
  t.equal(of('{"ownerId":9007199254740992}'), 'whole');
  t.equal(of('no event'), 'whole');
});

t.test('of a list nothing is left but the items of others', async (t) => {
  const cut = cutList(Buffer.from('\uFEFF [{"userId":"a1"},{"steps":2}]'), ours);
  t.equal(cut.kind === 'rest' ? cut.body.toString() : cut.kind, '\uFEFF [null,{"steps":2}]');
  const of = (text: string) => cutList(Buffer.from(text), ours).kind;
  t.equal(of('{"items":[{"userId":"a1"}]}'), 'nothing', 'an answer that is no list');
  t.equal(of('{"items":[{"userId":"b"}]}'), 'whole');
  t.equal(of('[{"userID":"a1"}]'), 'nothing');
});

t.test('a large body is looked through in a thread, to the same end', async (t) => {
  const many = Array.from({ length: 30_000 }, (_, n) => ({ userId: `a${n % 7}`, note: 'ü'.repeat(30) }));
  const bytes = Buffer.from(JSON.stringify({ dailies: many }));
  const cut = await cutApart({ provider: 'devicemaker', root: 'body', bytes, accounts: ['a1', 'a3'] });
  const rest = many.map((item) => (['a1', 'a3'].includes(item.userId) ? null : item));
  t.ok(bytes.length > 2_000_000);
  t.ok(cut.kind === 'rest' && cut.body.toString() === JSON.stringify({ dailies: rest }));
  const alone = Buffer.from(JSON.stringify({ dailies: Array(40_000).fill({ userId: 'a1', steps: 1 }) }));
  t.same(await cutApart({ provider: 'devicemaker', root: 'body', bytes: alone, accounts: ['a1'] }), {
    kind: 'nothing',
  });
});
