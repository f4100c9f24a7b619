import { categories, systems } from './coding.ts';
import { codeOf, type ObservedName, observedNames } from './observed.ts';

/** The kinds of Observations that have one of the codes; null: all. `tokens` are `code`, `system|code` or `|code`. */
export function namesWithCode(tokens: readonly string[] | null): readonly ObservedName[] | null {
  if (tokens === null) return null;
  return observedNames.filter((name) =>
    codingsOf(name).some((coding) => tokens.some((one) => isOf(one, coding))),
  );
}

/** The kinds of Observations in one of the categories; null: all. */
export function namesInCategory(tokens: readonly string[] | null): readonly ObservedName[] | null {
  if (tokens === null) return null;
  return observedNames.filter((name) => {
    const coding = { system: systems.category, code: codeOf(name).category };
    return tokens.some((one) => isOf(one, coding));
  });
}

/** Whether a token names a category at all. */
export function isCategory(token: string): boolean {
  return Object.keys(categories).some((code) => isOf(token, { system: systems.category, code }));
}

interface Coding {
  readonly system: string;
  readonly code: string;
}

function codingsOf(name: ObservedName): Coding[] {
  const { coding } = codeOf(name);
  const alike = name === 'oxygen_saturation' ? [{ system: systems.loinc, code: '59408-5' }] : [];
  return [...(coding === null ? [] : [coding]), ...alike, { system: systems.own, code: name }];
}

function isOf(token: string, { system, code }: Coding): boolean {
  const [first = '', second] = token.split('|');
  if (second === undefined) return first === code;
  return (first === '' || first === system) && (second === '' || second === code);
}
