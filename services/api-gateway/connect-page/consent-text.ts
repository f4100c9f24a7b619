import { createHash } from 'node:crypto';
import { ConsentText } from '../../../contracts/connect/consents.ts';
import type { Language } from '../../../contracts/connect/schemas.ts';
import type { Texts } from './texts.ts';

/**
 * The version of the texts that a user agrees to on the connect page, in all languages. It is stored with each consent. Whoever
 * changes one of the texts increases it and adds the hash of the new texts to the test.
 */
export const consentVersion = 1;

/** The value of the form's field `text`: the version and the language of the page. */
export function textField(language: Language): string {
  return `${consentVersion}.${language}`;
}

/** The text that a page has shown, from the field of its form; null if it is none. */
export function shownText(field: unknown): ConsentText | null {
  const [version, language] = typeof field === 'string' ? field.split('.') : [];
  const parsed = ConsentText.safeParse({ version: Number(version), language });
  return parsed.success && parsed.data.version <= consentVersion ? parsed.data : null;
}

/** The hash of the texts that a user agrees to, in some languages. */
export function hashOfConsentTexts(languages: Readonly<Record<string, Texts>>): string {
  const texts = Object.entries(languages)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([language, { consentTitle, consentText, shares, consentRights, agree }]) => [
      ...[language, consentTitle('{provider}'), consentText('{app}', '{provider}')],
      ...Object.entries(shares).toSorted(([one], [other]) => (one < other ? -1 : 1)),
      ...[consentRights('{app}', '{provider}'), agree('{provider}')],
    ]);
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex');
}
