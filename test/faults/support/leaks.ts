import { z } from 'zod';
import { dataTypes } from '../../../sandbox/devicemaker/payloads.ts';
import type { Ask } from '../../sandbox/records.ts';

/** What a log must not hold, as words that it is taken apart into. */
export interface Forbidden {
  readonly secrets: ReadonlySet<string>;
  /** Health values of a user that are unlikely to occur otherwise: long decimal numbers, names, phases. */
  readonly values: ReadonlySet<string>;
}

/** Words that occur only in bodies, callback URLs or headers. */
const telling: readonly RegExp[] = [
  /inbeatsperminute|heartrate|timeoffset|sleeplevels|weightingrams|dayincycle|systolic|distanceinmeters/i,
  /phasetype|menstruation|follicular|luteal/i,
  /[?&](code|state|token|access_token|upload\w*|hub\.\w+)=/i,
  /bearer\s+\S|x-api-key|authorization"?:/i,
  /\beyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/,
  /\bsk-[0-9a-f]{32}\b|\brt-[\w-]{20,}/,
  /postgres(ql)?:\/\/[^\s"]*:[^\s"]*@/,
];

/** Where a log holds what it must not: the line's number, and the rule or the kind of word. Never the word itself. */
export function leaksIn(log: string, { secrets, values }: Forbidden): string[] {
  return log.split('\n').flatMap((line, index) => {
    const found = telling.filter((one) => one.test(line)).map((one) => one.source);
    const words = line.match(/[\w.@+-]+/g) ?? [];
    if (words.some((word) => secrets.has(word)) || hasPhrase(line, secrets)) found.push('a secret');
    if (words.some((word) => values.has(word)) || hasPhrase(line, values)) found.push('a health value');
    return found.map((what) => `line ${index + 1}: ${what}`);
  });
}

const phrases = new WeakMap<ReadonlySet<string>, readonly string[]>();

// Names and passwords have blanks in them, and are few.
function hasPhrase(line: string, words: ReadonlySet<string>): boolean {
  const known = phrases.get(words) ?? [...words].filter((word) => word.includes(' '));
  phrases.set(words, known);
  return known.some((phrase) => line.includes(phrase));
}

const Items = z.array(z.unknown());
/** Six digits and more with decimals: neither a port nor a time that something took. */
const longNumber = /^\d{4,}\.\d{2,}$/;
const numberNames = /InMeters$|^distance$/;
const textNames = /^activityName$|^name$|PhaseType$/;

/** The sent values of a user that would be recognisable in a log. */
export async function tellingValues(asking: Ask, person: number): Promise<string[]> {
  const found = new Set<string>();
  for (const type of dataTypes)
    collect(Items.parse(await asking(`/ledger/items?person=${person}&type=${type}`)), found);
  collect(Items.parse(await asking(`/ledger/activities?person=${person}`)), found);
  for (const { weightInGrams } of z
    .array(z.object({ weightInGrams: z.number() }))
    .parse(await asking(`/ledger/items?person=${person}&type=bodyComps`)))
    found.add(String(weightInGrams / 1000));
  return [...found];
}

function collect(value: unknown, found: Set<string>, name = ''): void {
  if (typeof value === 'number' && numberNames.test(name) && longNumber.test(String(value)))
    found.add(String(value));
  if (typeof value === 'string' && textNames.test(name)) found.add(value);
  if (Array.isArray(value)) for (const one of value) collect(one, found, name);
  else if (typeof value === 'object' && value !== null)
    for (const [key, one] of Object.entries(value)) collect(one, found, key);
}
