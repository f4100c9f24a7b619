import type { Random } from './random.ts';

const uuid = '00000000-0000-4000-8000-000000000000';

/** Text that has broken programs before. */
export const hostileTexts: readonly string[] = [
  ...['', ' ', '\t', 'null', 'undefined', 'NaN', 'true', '[]', '{}', '0', '-1', '1e309', '0x10', '١٢٣'],
  ...['\u0000', 'a\u0000b', '\ud800', '\udfff x', '\ufeff', '\u202eabc', '💥', 'é', 'ﷺ', 'İ'],
  ...["'", '"', '\\', '%', '%00', '%_', '$1', '#{x}', '{{7*7}}', "'; drop table x; --", '../../etc/passwd'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', uuid, uuid.toUpperCase(), `${uuid}0`],
  ...[
    '2026-02-30',
    '2026-01-01T25:00',
    '0000-00-00',
    '9999-12-31',
    '9999-12-31T23:59:59.999Z',
    '10000-01-01',
  ],
  ...['1970-01-01', '1969-12-31', '-000001-01-01T00:00:00Z', '2026-01-01T00:00:00+99:99', '253402300799'],
  ...['99999999999999999999', '-9223372036854775809', '2147483648', '0.1', '1,5', 'x'.repeat(300)],
  ...['https://user:pass@127.0.0.1:1/', 'javascript:alert(1)', 'http://[::1]/', '//x', 'file:///etc/passwd'],
];

const hostileValues: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -0,
    -1,
    1,
    0.1,
    -0.5,
    1e300,
    -1e300,
    5e-324,
    2 ** 31,
    2 ** 31 - 1,
    -(2 ** 31) - 1,
  ],
  ...[2 ** 53, 2 ** 63, 32_768, 65_536, 1e11, 253402300800, 8.64e15, 8.64e15 + 1, 1.7976931348623157e308],
  ...[[], {}, [null], [[]], { a: null }, { length: 3 }, { toString: 1 }, { type: 'Buffer', data: [0] }],
];

type Place = { readonly on: Record<string, unknown>; readonly key: string };

/** A deep copy with a few changes somewhere in it: values, types, keys, orders, nesting. */
export function mutated(value: unknown, random: Random, changes = 1 + random.below(3)): unknown {
  const root = { value: structuredClone(value) };
  for (let i = 0; i < changes; i++) {
    const places = placesIn(root);
    if (places.length > 0) change(random.pick(places), random);
  }
  return root.value;
}

function placesIn(root: object, most = 400): Place[] {
  const places: Place[] = [];
  const open: object[] = [root];
  for (let on = open.shift(); on !== undefined && places.length < most; on = open.shift()) {
    const record = on as Record<string, unknown>; // an array too: its indices are keys
    for (const key of Object.keys(record).slice(0, 40)) {
      places.push({ on: record, key });
      const inner = record[key];
      if (typeof inner === 'object' && inner !== null) open.push(inner);
    }
  }
  return places;
}

function change({ on, key }: Place, random: Random): void {
  const value = on[key];
  switch (random.below(9)) {
    case 0:
      delete on[key];
      return;
    case 1:
      on[key] = [value, value];
      return;
    case 2:
      on[key] = { [random.pick(hostileTexts)]: value };
      return;
    case 3:
      // a large index would make an array of that length
      if (Array.isArray(on)) on.unshift(value);
      else on[random.pick([...hostileTexts, 'id', 'user_id', 'userId', key.toUpperCase()])] = value;
      return;
    case 4:
      on[key] = random.pick(hostileTexts);
      return;
    case 5:
      on[key] = nested(random.below(random.chance(0.05) ? mostNested : 30));
      return;
    case 6:
      on[key] = near(value, random);
      return;
    default:
      on[key] = structuredClone(random.pick(hostileValues));
  }
}

// A copy of a copy of something deeper overflows the stack of the client; requests.ts has bodies that are.
const mostNested = 800;

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

// A value of the same kind that is just about wrong.
function near(value: unknown, random: Random): unknown {
  if (typeof value === 'number')
    return random.pick([-value, value + 1, value * 1000, value / 3, value * 1e9, String(value)]);
  if (typeof value === 'string') return nearText(value, random);
  if (Array.isArray(value)) return [...value, ...value].reverse();
  return value === null ? {} : null;
}

/** Text with a few characters changed, cut, doubled or put in. */
export function nearText(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  switch (random.below(5)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + random.pick(hostileTexts) + text.slice(at);
    case 2:
      return text + text;
    case 3:
      return text.toUpperCase();
    default:
      return (
        text.slice(0, at) +
        String.fromCharCode(random.below(random.chance(0.5) ? 128 : 0xffff)) +
        text.slice(at + 1)
      );
  }
}

/** A cursor of ours with its inside changed, or its outside. */
export function mutatedCursor(cursor: string, random: Random): string {
  if (random.chance(0.3)) return nearText(cursor, random);
  try {
    const inside: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Buffer.from(JSON.stringify(mutated(inside, random))).toString('base64url');
  } catch {
    return nearText(cursor, random);
  }
}

/** Bytes with a few of them flipped, cut or doubled. */
export function mutatedBytes(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes);
  for (let i = 0; i < 1 + random.below(4) && copy.length > 0; i++)
    copy[random.below(copy.length)] = random.below(256);
  if (random.chance(0.3)) return copy.subarray(0, random.below(copy.length + 1));
  return random.chance(0.2) ? Buffer.concat([copy, copy]) : copy;
}
