import type { Language } from '../../../contracts/connect/schemas.ts';
import { de } from './languages/de.ts';
import { en } from './languages/en.ts';
import { es } from './languages/es.ts';
import { fr } from './languages/fr.ts';
import type { Texts } from './texts.ts';

const all: Readonly<Record<Language, Texts>> = { en, de, fr, es };

/** The texts of a language. */
export function textsOf(language: Language): Texts {
  return all[language];
}

/** The language of the page: the session's, otherwise the first known one that the browser accepts, otherwise English. */
export function chooseLanguage(wanted: Language | null, accepted: string | undefined): Language {
  if (wanted !== null) return wanted;
  const ranked = (accepted ?? '').slice(0, 1000).split(',').map(rankOf);
  const sorted = ranked.filter(({ weight }) => weight > 0).toSorted((a, b) => b.weight - a.weight);
  return sorted.map(({ tag }) => tag).find(isLanguage) ?? 'en';
}

function rankOf(part: string): { tag: string; weight: number } {
  const [name = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
  const weight = parameters.find((one) => one.startsWith('q='))?.slice(2) ?? '1';
  return { tag: name.split('-')[0] ?? '', weight: Number(weight) || 0 };
}

function isLanguage(tag: string): tag is Language {
  return Object.hasOwn(all, tag);
}
