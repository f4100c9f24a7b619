import t, { type Test } from 'tap';
import { mostLevels } from '../../../domain/json/json-bounds.ts';
import {
  expectEnd,
  JsonError,
  jsonScan,
  readList,
  readValue,
  valueAt,
} from '../../../domain/json/json-scan.ts';
import { randomOf } from '../../../sandbox/simulation/random.ts';
import { readPush } from '../../../services/devicemaker-ingest/rules/read-push.ts';
import { LargeBody } from '../../../services/devicemaker-ingest/work/reading/large-body.ts';
import { refusal } from '../../support/refusal.ts';

/** What JSON.parse makes of bytes, or that it refuses them. */
function parsed(bytes: Buffer): { value: unknown } | 'refused' {
  try {
    return { value: JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, '')) };
  } catch {
    return 'refused';
  }
}

/** The same, piece by piece. */
function scanned(bytes: Buffer): { value: unknown } | 'refused' {
  try {
    const scan = jsonScan(bytes);
    const value = readValue(scan);
    expectEnd(scan);
    return { value };
  } catch (error) {
    if (error instanceof JsonError) return 'refused';
    throw error;
  }
}

/** A body's arrays as the worker sees them, or its refusal. */
function opened(bytes: Buffer) {
  const large = LargeBody.open(bytes, 'object');
  return typeof large === 'string' ? large : large.outline;
}

/** The result of parsing the body at once. */
function openedAtOnce(bytes: Buffer) {
  try {
    const { groups, deregistrations, permissionChanges, errors } = readPush(bytes);
    const lists = groups.map(({ key, items }) => ({ key, count: items.length }));
    const special = (key: string, items: readonly unknown[] | null) =>
      items === null ? [] : [{ key, count: items.length }];
    const specials = [
      ...special('deregistrations', deregistrations),
      ...special('userPermissionsChange', permissionChanges),
    ];
    return { lists, specials, errors };
  } catch (error) {
    return Reflect.get(Object(error), 'type') === 'MALFORMED_BODY' ? 'malformed' : 'other_root';
  }
}

function same(t: Test, bytes: Buffer, name: string): void {
  const atOnce = openedAtOnce(bytes);
  const inPieces = opened(bytes);
  if (typeof atOnce === 'string' || typeof inPieces === 'string') {
    t.equal(inPieces, atOnce, name);
    return;
  }
  const names = new Set(atOnce.specials.map(({ key }) => key));
  t.same(
    inPieces.lists.filter(({ key }) => !names.has(key)),
    atOnce.lists,
    name,
  );
  t.same(new Set(inPieces.lists.filter(({ key }) => names.has(key))), new Set(atOnce.specials), name);
  t.same(inPieces.errors, atOnce.errors, name);
}

const bodies: Record<string, string> = {
  'an empty object': '{}',
  'blanks around all': ' \t\r\n{ "hrv" : [ 1 , 2 ] , "sleeps" : [ ] } \n',
  'a byte order mark': '\uFEFF{"hrv":[{}]}',
  'two byte order marks': '\uFEFF\uFEFF{"hrv":[{}]}',
  'a mark between values': '{"hrv":[\uFEFF{}]}',
  'escapes in a key': '{"h\\u0072v":[1],"\\"":[2]}',
  'brackets in strings': '{"hrv":["]}","[{",{"a]":"}"}],"dailies":[{"b":"\\\\"}]}',
  'a string that ends in a backslash': '{"hrv":["\\\\","\\\\\\"]"]}',
  'a key that comes twice': '{"hrv":[1,2],"dailies":[1],"hrv":[3]}',
  'a key that comes twice, then as no array': '{"hrv":[1,2],"hrv":{}}',
  'a key that is no array first': '{"hrv":null,"dailies":[],"hrv":[1]}',
  'numbers as keys, which come first': '{"hrv":[],"b":1,"10":[],"2":{}}',
  'the name of a prototype': '{"__proto__":[1],"hrv":[{"__proto__":{"userId":"a"}}]}',
  'names of methods': '{"constructor":[1],"toString":2}',
  'unknown keys past twenty': `{${Array.from({ length: 25 }, (_, n) => `"k${n}":${n}`).join(',')}}`,
  specials: '{"deregistrations":[{"userId":"a"}],"userPermissionsChange":[1,2]}',
  'specials that are no arrays': '{"deregistrations":{},"userPermissionsChange":null}',
  'numbers beyond all': '{"hrv":[1e999,-1e999,123456789012345678901234567890,-0,1E+2]}',
  'half a surrogate': '{"hrv":["\\ud800",{"a\\udc00":1}]}',
  nothing: '',
  'only blanks': '  ',
  'a list': '[1,2]',
  'a text': '"{}"',
  null: 'null',
  'a list that is cut off': '{"hrv":[1,2',
  'an object that is cut off': '{"hrv":[1,2]',
  'a string that is cut off': '{"hrv":["a',
  'a string that ends in its escape': '{"hrv":["a\\',
  'a key without a value': '{"hrv"}',
  'a key without a colon': '{"hrv" [1]}',
  'a colon too many': '{"hrv"::[1]}',
  'a comma at the end of a list': '{"hrv":[1,]}',
  'a comma at the end of the object': '{"hrv":[1],}',
  'a comma at the start': '{"hrv":[,1]}',
  'two commas': '{"hrv":[1,,2]}',
  'no comma': '{"hrv":[1 2]}',
  'no comma between keys': '{"hrv":[1]"dailies":[2]}',
  'the wrong bracket': '{"hrv":[{"a":1]}]}',
  'the wrong bracket at the end': '{"hrv":[1}}',
  'a bracket too many': '{"hrv":[1]]}',
  'something behind': '{"hrv":[1]}x',
  'another value behind': '{"hrv":[1]}{}',
  'a NUL behind': '{"hrv":[1]}\0',
  'a comment': '{"hrv":[1/*2*/]}',
  'single quotes': "{'hrv':[1]}",
  'a name without quotes': '{hrv:[1]}',
  'a number as a key': '{1:[1]}',
  'words of another language': '{"hrv":[NaN,undefined]}',
  'a number with a zero before': '{"hrv":[01]}',
  'a control character in a string': '{"hrv":["a\nb"]}',
  'a control character in a key': '{"h\nv":[1]}',
  'an escape that is none': '{"hrv":["\\x"]}',
  'another blank': '{"hrv":[1,\u00a02]}',
  'a form feed': '{\f"hrv":[1]}',
  'broken only in what nobody reads': '{"solid":{"a":[1,2}},"hrv":[1]}',
};

t.test('accepts and refuses bodies exactly as JSON.parse of the whole text', async (t) => {
  for (const [name, text] of Object.entries(bodies)) same(t, Buffer.from(text), name);
});

t.test('decodes invalid UTF-8 as the decoder does', async (t) => {
  const broken = [[0xff], [0xe2], [0xe2, 0x82], [0xc3], [0x80], [0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80]];
  for (const bytes of broken) {
    const body = Buffer.concat([
      Buffer.from('["a'),
      Buffer.from(bytes),
      Buffer.from('",{"b'),
      Buffer.from(bytes),
      Buffer.from('":1}]'),
    ]);
    t.same(scanned(body), parsed(body), `in strings ${bytes}`);
    const bare = Buffer.concat([Buffer.from('[1,'), Buffer.from(bytes), Buffer.from('2]')]);
    t.equal(scanned(bare), 'refused');
  }
});

const random = randomOf('documents');
const pick = <T>(list: readonly [T, ...T[]]): T => list[random.whole(0, list.length - 1)] ?? list[0];
const strings = [
  '',
  'a',
  '"',
  '\\',
  ']',
  '}',
  '{"',
  '[,',
  '\u0000',
  'é',
  '😀',
  '\ud800',
  'userId',
  '\\"',
] as const;
// Without escapes: the engine's own parser mistakes an escaped key for another one that it met before in that place.
const keys = ['', 'a', ']', '}', '{', '[,', 'é', '😀', 'userId', '__proto__', '7'] as const;
const blanks = ['', '', '', ' ', '\n', '\t\r ', '  '] as const;

/** A random document as text, with blanks and escapes of every kind. */
function documentOf(depth: number): string {
  const blank = () => pick(blanks);
  const word = () => (random.whole(0, 1) === 0 ? JSON.stringify(pick(strings)) : escaped(pick(strings)));
  const count = random.whole(0, 4);
  const kind = depth === 0 ? random.whole(0, 2) : random.whole(0, 5);
  const many = (make: () => string) => Array.from({ length: count }, make).join(`${blank()},`);
  if (kind === 0) return word();
  if (kind === 1) return pick(['0', '-0', '1.5e3', '-12', '1e999', '17e-4', '9007199254740993']);
  if (kind === 2) return pick(['true', 'false', 'null']);
  const value = () => `${blank()}${documentOf(depth - 1)}${blank()}`;
  const key = () => JSON.stringify(pick(keys));
  if (kind === 3) return `[${many(value)}${count === 0 ? blank() : ''}]`;
  return `{${many(() => `${blank()}${key()}${blank()}:${value()}`)}${count === 0 ? blank() : ''}}`;
}

const escaped = (text: string) =>
  `"${[...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`;

/** A document with one byte taken out, put in, or changed. */
function damaged(text: string): string {
  const at = random.whole(0, text.length);
  const put = pick(['', '"', '\\', ',', ':', '[', ']', '{', '}', '0', ' ', 'x', '\n']);
  return text.slice(0, at) + put + text.slice(at + random.whole(0, 1));
}

t.test('reads thousands of random valid and invalid documents as JSON.parse does', async (t) => {
  let refusals = 0;
  for (let round = 0; round < 4000; round += 1) {
    const text = round % 2 === 0 ? documentOf(5) : damaged(documentOf(5));
    const bytes = Buffer.from(text);
    const expected = parsed(bytes);
    if (expected === 'refused') refusals += 1;
    const found = scanned(bytes);
    if (!isSame(found, expected)) t.same(found, expected, text);
    const list = Buffer.from(`[${text},${text}]`);
    const items: unknown[] = [];
    if (expected === 'refused') continue;
    const scan = jsonScan(list);
    readList(scan, (value, from, to) => {
      items.push(value);
      t.ok(isSame(valueAt(list, from, to), value));
    });
    t.ok(isSame(items, [expected.value, expected.value]), text);
  }
  t.ok(refusals > 500 && refusals < 2000, 'some were damaged');
});

// Printed, so that numbers beyond all, -0 and the order of keys count too.
function isSame(a: unknown, b: unknown): boolean {
  return print(a) === print(b);
}

function print(value: unknown): string {
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (Array.isArray(value)) return `[${value.map(print).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}:${print(inner)}`)
    .join()}}`;
}

t.test('parses a large value in parts, also with prototype names and duplicate keys', async (t) => {
  const samples = Array.from({ length: 9000 }, (_, n) => ({
    startTimeInSeconds: n,
    heartRate: n % 200,
    note: 'é]"',
  }));
  const large = JSON.stringify({ samples, nested: { samples }, lists: [samples, [samples]] });
  const text = `{"summary":1,"__proto__":{"a":2},"7":0,"summary":${large},"2":[${large}]}`;
  t.ok(text.length > 4_000_000);
  const bytes = Buffer.from(text);
  const found = scanned(bytes);
  t.ok(isSame(found, parsed(bytes)));
  for (const at of [text.length - 2, text.length >> 1, (text.length >> 1) + 1]) {
    const broken = Buffer.from(`${text.slice(0, at)}[${text.slice(at)}`);
    t.equal(scanned(broken) === 'refused', parsed(broken) === 'refused', `a bracket at ${at}`);
    t.equal(scanned(bytes.subarray(0, at)), 'refused', `cut at ${at}`);
  }
});

t.test('refuses deep nesting, closed or not', async (t) => {
  const nest = (levels: number) => Buffer.from(`${'['.repeat(levels)}${']'.repeat(levels)}`);
  t.not(scanned(nest(mostLevels)), 'refused');
  t.equal(scanned(nest(mostLevels + 1)), 'refused');
  t.equal(scanned(nest(5_000_000)), 'refused');
  t.equal(scanned(Buffer.from('['.repeat(400_000))), 'refused');
  t.equal(scanned(Buffer.from('{"a":'.repeat(400_000))), 'refused');
  const deep = mostLevels - 4;
  const nested = nest(deep).toString();
  const summaries = `${'{"summary":'.repeat(deep)}1${'}'.repeat(deep)}`;
  const body = Buffer.from(
    `{"hrv":[${nested},${summaries}],"userPermissionsChange":[{"permissions":${nested}}]}`,
  );
  const large = LargeBody.open(body, 'object');
  if (typeof large === 'string') throw new Error(large);
  t.same([...large.pieces({ kind: 'stubs', key: 'hrv' })], ['[[],{}]']);
  t.same([...large.pieces({ kind: 'stubs', key: 'userPermissionsChange' })], [`[{"permissions":${nested}}]`]);
  const orders = [0, 1].map((index) => ({ key: 'hrv', type: 'hrv', index }));
  const [batch] = large.pieces({ kind: 'items', orders, nowMs: Date.now(), rules: null });
  t.match(JSON.parse(batch ?? ''), {
    judged: [
      [0, { ok: false }],
      [1, { ok: false }],
    ],
    parts: [],
  });
});

t.test('the refusal of a body names the expected form', async (t) => {
  t.throws(() => readPush(Buffer.from('[1]')), refusal('VALIDATION_FAILED'));
  t.throws(() => readPush(Buffer.from('[1')), refusal('MALFORMED_BODY'));
});
