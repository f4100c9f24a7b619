import t from 'tap';
import { activitynet } from '../../../providers/activitynet/provider.ts';
import { isEventOf, mentions } from '../../../services/deliveries/rules/mentions.ts';

const utf16 = (text: string) => Buffer.from(text, 'utf16le');

for (const [title, body] of [
  ['the owner of an item', '{ "dailies" : [ {"userId":"b"},  {"steps":1.0,"userId":"a1"} ] }'],
  ['an owner under another key, at any depth', '{"x":[{"user":{"ids":["b","a1"]},"hr":62}]}'],
  ['a part of a longer text', '{"x":[{"key":"user:a1-7"}]}'],
  ['a value of an item of another owner', '{"x":[{"userId":"b","device":"a1"}]}'],
  ['a key', '{"a1":[{"hr":61}]}'],
  ['a key and a value in escapes', '{"x":[{"\\u0075serId":"\\u0061\\u0031"}]}'],
  ['an escape in capitals', '{"x":[{"note":"\\u00E4\\u00e4","userId":"\\u00611"}]}'],
  ['an escape after an escaped backslash', '{"x":"\\\\\\u0061\\u0031"}'],
  ['a value beside JSON', '{"x":[{"userId":"b"}]} {"x":[{"userId":"a1"}]}'],
  ['text that is cut off', '{"x":[{"userId":"a1'],
  ['text that is cut off within an escape', '{"x":[{"userId":"\\u00611","\\u00'],
  ['a form', 'user=a1&hr=61'],
  ['JSON that is nested deeply', `{"x":${'['.repeat(300)}"\\u00611"${']'.repeat(300)}}`],
] as const)
  t.test(`an account is found as ${title}`, async (t) => {
    t.ok(await mentions(Buffer.from(body), ['a1']));
    t.ok(await mentions(Buffer.from(`\uFEFF ${body}`), ['unknown', 'a1']));
    t.notOk(await mentions(Buffer.from(body), ['a2', 'A1', 'aa1']));
  });

t.test('an account is found as a number, by its digits', async (t) => {
  const body = Buffer.from('{"x":[{"userId":9007199254740993}]}');
  t.ok(await mentions(body, ['9007199254740993']));
  t.notOk(await mentions(body, ['9007199254740992']));
});

t.test('an account is found in UTF-16 of both orders', async (t) => {
  const body = utf16('{"x":[{"userId":"a1"}]}');
  t.ok(await mentions(body, ['a1']));
  t.ok(await mentions(Buffer.from(body).swap16(), ['a1']));
  t.notOk(await mentions(body, ['b1']));
});

t.test('an account of any characters is found as JSON writes it', async (t) => {
  for (const account of ['a"b', 'a\\b', 'a/b', 'a\nb\t\b\f\r', '\u0001', 'ümläut', '日本', '😀'])
    for (const text of [
      JSON.stringify({ userId: account }),
      `{"userId":"${[...account].flatMap(unitsOf).join('')}"}`,
      JSON.stringify({ userId: account }).replace('/', '\\/'),
    ])
      t.ok(await mentions(Buffer.from(text), [account]), text);
  t.notOk(await mentions(Buffer.from('{"userId":"\\\\u0061"}'), ['a1', 'a"']));
});

const unitsOf = (character: string) =>
  character.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

t.test('an account is found wherever a large body is cut into pieces', async (t) => {
  const forms = [
    '"ä-1"',
    '"\\u00e4\\u002d\\u0031"',
    '"\\\\\\u00e4-1"',
    utf16('"ä-1"'),
    utf16('"ä-1"').swap16(),
  ];
  const pieceBytes = 256 * 1024;
  for (const form of forms) {
    const written = Buffer.from(form);
    for (let before = 0; before <= written.length; before += 1) {
      const body = Buffer.concat([
        Buffer.alloc(pieceBytes - before, '\\\\ö'),
        written,
        Buffer.alloc(1000, ' '),
      ]);
      t.ok(await mentions(body, ['ä-1']), `${form} from ${before} before the end of a piece`);
    }
  }
  t.notOk(await mentions(Buffer.alloc(3 * pieceBytes, '\\\\ö'), ['ä-1']));
});

t.test('an event belongs to its account by the digits of its id, or to those that it mentions', async (t) => {
  const { body } = activitynet.webhooks;
  const of = (text: string) => isEventOf(body, Buffer.from(text), ['9007199254740993']);
  for (const text of [
    '{"owner_id":9007199254740993,"object_id":1}',
    '{"owner_id":"9007199254740993"}',
    '{"owner_id":"900719925474099\\u0033"}',
    'no event of 9007199254740993',
    '{"owner_id":9007199254740992,"object_type":"athlete","object_id":9007199254740993}',
    '{"ownerId":9007199254740993,"updates":{"title":"x"}}',
    '{"owner_id":{"id":9007199254740993}}',
    '[{"owner_id":9007199254740993}]',
    '{"owner_id":9007199254740993,"object_id":1',
  ])
    t.ok(await of(text), text);
  for (const text of [
    '{"owner_id":9007199254740992,"object_id":9007199254740993}',
    '{"owner_id":90071992547409931,"object_id":1}',
    '{"ownerId":9007199254740992}',
    'no event',
    '',
  ])
    t.notOk(await of(text), text);
});
