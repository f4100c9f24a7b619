import t from 'tap';
import type { ProviderName } from '../../../domain/wire.ts';
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
    'keeps an account whose id begins or ends like it, or is one of its values',
    '{"dailies":[{"userId":"a11"},{"userId":"ba1"},{"userId":"A1"},{"userId":"b","device":"a1","a1":7}]}',
    undefined,
  ],
  [
    'finds it however JSON spells it, under whichever key',
    '{"odd":[{"\\u0075serId":"\\u00611"},{"userId":"b"}]}',
    '{"odd":[null,{"userId":"b"}]}',
  ],
  ['of a name that comes twice takes the last', '{"x":[{"userId":"a1","userId":"b"}]}', undefined],
  ['takes what stands in the place of an array', '{"x":{"userId":"a1"},"y":[1]}', '{"x":null,"y":[1]}'],
  ['of nobody else’s items nothing is left', '{"x":[{"userId":"a1"}],"y":[{"userId":"a1"}]}', null],
  ['of places that were emptied before nothing is left', '{"x":[null,{"userId":"a1"}]}', null],
  ['no JSON that names it is not worth keeping', '{"x":[{"userId":"a1"', null],
  ['nor is what stands behind JSON', '{"x":[{"userId":"b"}]} {"x":[{"userId":"a1"}]}', null],
  ['nor is another root', '[{"userId":"a1"}]', null],
  ['no JSON that does not name it stays', '{"x":[{"userId":"b"', undefined],
  ['an empty body stays', '', undefined],
];

for (const [title, body, rest] of cases) t.test(title, async (t) => t.equal(left(body), rest));

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
  t.equal(of('no event'), 'whole');
});

t.test('of a list nothing is left but the items of others', async (t) => {
  const cut = cutList(Buffer.from('\uFEFF [{"userId":"a1"},{"steps":2}]'), ours);
  t.equal(cut.kind === 'rest' ? cut.body.toString() : cut.kind, '\uFEFF [null,{"steps":2}]');
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
