import { createHash } from 'node:crypto';
import { ConsentText } from '../../../contracts/connect/consents.ts';
import type { Language } from '../../../contracts/connect/schemas.ts';
import type { Texts } from './texts.ts';

/**
 * The version of the texts that a user agrees to on the connect page, in all languages. It is stored with each consent. Whoever
 * changes one of the texts increases it and adds the hashes of the new texts to the test.
 */
export const consentVersion = 3;

/** The first version of the languages that version 1 does not have. */
const firstVersions: Partial<Readonly<Record<Language, number>>> = {
  ...{ it: 2, pt: 2, nl: 2, pl: 2 },
  ...{ ja: 2, zh: 2, ar: 2, he: 2 },
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

/** The hash of the texts that a user agrees to in one language. */
export function hashOfConsentTexts(texts: Texts): string {
  const { consentTitle, consentText, shares, consentPeriod, notShared, consentRights, agree } = texts;
  const [app, provider] = ['{app}', '{provider}'] as const;
  const agreed = [
    ...[consentTitle(provider), consentText(app, provider)],
    ...Object.entries(shares).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    ...[consentPeriod, notShared(provider), consentRights(app, provider), agree(provider)],
  ];
  return createHash('sha256').update(JSON.stringify(agreed)).digest('hex');
}
