import t from 'tap';
import { Language } from '../../../contracts/connect/schemas.ts';
import { textsOf } from '../../../services/api-gateway/connect-page/choose-language.ts';
import {
  consentVersion,
  hashOfConsentTexts,
  shownText,
  textField,
} from '../../../services/api-gateway/connect-page/consent-text.ts';

/** The hash of the texts of each version. A row is never changed: consents name its version. */
const hashes: readonly string[] = ['6a3e0f46688d14dbbfaba7faab714509815555086b470ded2871ad017575b696'];

const languages = Object.fromEntries(Language.options.map((language) => [language, textsOf(language)]));

t.test('a changed text of the consent page has a new version', async (t) => {
  t.equal(hashes.length, consentVersion, 'a row for each version');
  t.equal(hashOfConsentTexts(languages), hashes[consentVersion - 1]);
  t.equal(new Set(hashes).size, hashes.length);
});

t.test('the hash follows from every text that the user agrees to', async (t) => {
  const { en } = languages;
  if (en === undefined) throw new Error('no English');
  const changed = [
    { ...en, consentTitle: (provider: string) => `${en.consentTitle(provider)}.` },
    { ...en, consentText: (app: string, provider: string) => `${en.consentText(app, provider)}.` },
    { ...en, consentRights: (app: string, provider: string) => `${en.consentRights(app, provider)}.` },
    { ...en, agree: (provider: string) => `${en.agree(provider)}.` },
    { ...en, shares: { ...en.shares, sleep: 'Sleep and dreams' } },
  ];
  const all = changed.map((one) => hashOfConsentTexts({ ...languages, en: one }));
  t.equal(new Set([...all, hashOfConsentTexts(languages)]).size, changed.length + 1);
  t.equal(
    hashOfConsentTexts({ ...languages, en: { ...en, back: 'To the list' } }),
    hashOfConsentTexts(languages),
  );
});

t.test('the field of the form names the version and the language, and nothing else is one', async (t) => {
  for (const language of Language.options)
    t.same(shownText(textField(language)), { version: consentVersion, language });
  for (const field of [undefined, '', 'en', '1', '1.xx', '0.en', `${consentVersion + 1}.en`, '1.5.en', 7])
    t.equal(shownText(field), null, `${field}`);
});
