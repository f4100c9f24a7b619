import { ConsentText } from '../../../../contracts/connect/consents.ts';
import { Language } from '../../../../contracts/connect/schemas.ts';
import { ownValue } from '../../../../domain/own-value.ts';
import { ar } from './languages/ar.ts';
import { de } from './languages/de.ts';
import { en } from './languages/en.ts';
import { es } from './languages/es.ts';
import { fr } from './languages/fr.ts';
import { he } from './languages/he.ts';
import { it } from './languages/it.ts';
import { ja } from './languages/ja.ts';
import { nl } from './languages/nl.ts';
import { pl } from './languages/pl.ts';
import { pt } from './languages/pt.ts';
import { zh } from './languages/zh.ts';
import type { Texts } from './texts.ts';

const all: Readonly<Record<Language, Texts>> = { en, de, fr, es, it, pt, nl, pl, ja, zh, ar, he };

/** Codes that ISO 639 has replaced, which older devices send. */
const formerCodes: Readonly<Record<string, Language>> = { iw: 'he' };

/** The texts of a language. */
export function textsOf(language: Language): Texts {
  return all[language];
}

/** The language of the page: the session's, otherwise the first known one that the browser accepts, otherwise English. */
export function chooseLanguage(wanted: Language | null, accepted: string | undefined): Language {
  if (wanted !== null) return wanted;
  const ranked = (accepted ?? '').slice(0, 1000).split(',').map(rankOf);
  const sorted = ranked.filter(({ weight }) => weight > 0).toSorted((a, b) => b.weight - a.weight);
  return sorted.flatMap(({ tag }) => languageOf(tag))[0] ?? 'en';
}

function rankOf(part: string): { tag: string; weight: number } {
  const [name = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
  const weight = parameters.find((one) => one.startsWith('q='))?.slice(2) ?? '1';
  return { tag: name, weight: Number(weight) || 0 };
}

// Region and script are ignored: one file serves all readers of a language, so traditional Chinese gets the simplified texts.
function languageOf(tag: string): Language[] {
  const [code = ''] = tag.split('-');
  const former = ownValue(formerCodes, code);
  const parsed = Language.safeParse(former ?? code);
  return parsed.success ? [parsed.data] : [];
}

/**
 * The version of the texts that a user agrees to on the connect page, in all languages. It is stored with each consent. Whoever
 * changes one of the texts increases it and adds the hashes of the new texts to the test.
 */
export const consentVersion = 4;

/** The first version of the languages that version 1 does not have. */
const firstVersions: Partial<Readonly<Record<Language, number>>> = {
  it: 2,
  pt: 2,
  nl: 2,
  pl: 2,
  ja: 2,
  zh: 2,
  ar: 2,
  he: 2,
};

/** The value of the form's field `text`: the version and the language of the page. */
export function textField(language: Language): string {
  return `${consentVersion}.${language}`;
}

/** The text that a page has shown, from the field of its form; null if there is none in this version and language. */
export function shownText(field: unknown): ConsentText | null {
  const [version, language] = typeof field === 'string' ? field.split('.') : [];
  const parsed = ConsentText.safeParse({ version: Number(version), language });
  return parsed.success && exists(parsed.data) ? parsed.data : null;
}

function exists({ version, language }: ConsentText): boolean {
  return version >= (firstVersions[language] ?? 1) && version <= consentVersion;
}
