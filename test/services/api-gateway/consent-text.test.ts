import { createHash } from 'node:crypto';
import t from 'tap';
import { Language } from '../../../contracts/connect/schemas.ts';
import {
  consentVersion,
  shownText,
  textField,
  textsOf,
} from '../../../services/api-gateway/actions/connect-page/languages.ts';
import type { Texts } from '../../../services/api-gateway/actions/connect-page/texts.ts';

/** The hash of the texts that a user agrees to in one language. */
function hashOfConsentTexts(texts: Texts): string {
  const { consentTitle, consentText, shares, consentPeriod, notShared, consentRights, agree } = texts;
  const shared = Object.entries(shares).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const agreed = [consentTitle, consentText, ...shared, consentPeriod, notShared, consentRights, agree];
  return createHash('sha256').update(JSON.stringify(agreed)).digest('hex');
}

/** The hashes of the texts of each version by language. A row is never changed: consents name its version. */
const hashes: readonly Readonly<Record<string, string>>[] = [
  { 'de, en, es, fr': '6a3e0f46688d14dbbfaba7faab714509815555086b470ded2871ad017575b696' },
  {
    en: 'cc0d8558e4e263c99974c4627f57b4f1099add4103874da53fb9422d477a08da',
    de: '365d203ef577a8f5978bc3d801ddfa8d90e078cab71411ed9b5a80ab0ed53ecb',
    fr: '8c6f8af4e9d849895149b2bcfa1e4b9de58a6cec23da7f1fddad59646a6d507d',
    es: 'efe1e0c2529bbb66017a54f7015e7b94a472ffb6bd072ccefe2ac0f40a6e1065',
    it: 'd966fe9a62dffed170fab3e38f9c3a9214f47a629671be827f412e234fa7fbbd',
    pt: '2f46cebb7a37e3423478891cb79fafd39e0c70d542bd76b0b62c37b7671074c8',
    nl: '22adff206c80783dcf4065c1f1b290ddcdbf6415d34c18a4e6183e239147b335',
    pl: '7e2eafec5d1fe5fe0e8745f438de04c4ac9d2ff5519b21e9a70d8f1a87ad9c41',
    ja: 'c811390fd00fd7d281d947b0cc3728b69cb3bcecbc99b719885c5226a337c5b4',
    zh: '1831792efa676a6b37b233c38c3dbd775986e516388f5cf074586bbac2b3c088',
    ar: 'ca4d356081192b0800ce08f1d5602991cb51b2cc296d6aa5a3062c994a153d8d',
    he: '901673ae056f58ef7e3ec5173240c9d69487b4ce2588e4ba1123ef1ce3c08a50',
  },
  {
    en: 'b9b1b74ffcfa215c37ce859477c5ecd95a4883f9a6659531c7787c0dea985edf',
    de: '2b4e07bf46101ada05da52a74ebe47975e756c85b1e5704b4ca2fc01229c380b',
    fr: '3b2b86a83ecb787d1f2436ec08f2c121b698cae6458b3b5d9d19ffbf426af40f',
    es: '063ad48387e68c9b376e8eab79e8ab335f59684ecbabd326879a02a3d0b86db8',
    it: 'fd28d8e4a0fd8e7d740c524e1e25d3b45b97373b31bc964d4966dd418182071d',
    pt: '422af61e2a4f269170f65e82d37223ca7f25447e4d7beafea545036cfbd88149',
    nl: '4f2875446b75158ebd664b98529474dcf484632f9c1fe8fe23941132a6ab6142',
    pl: '419abcd91986cdaa495505cd199affbe1f3199bd7e478c69dfc83997f6c22c88',
    ja: 'db07d54de668e95b30546a7a33ed85619f46b2939a75993a70fae03686e7567c',
    zh: 'ce3bd05474e12639754e58714b90d50b8d4baaf52138c772e50550e5f5f61308',
    ar: 'd8ca4421b6781b074648ffce451804072621f5700042dd1f07fb2d8d5d621c44',
    he: 'fbdb02f8d3a4cc9351f7373e5ec461cd7998a810b1a123c688043ae5df0fa0b5',
  },
  {
    en: '5a50089b7684354f46611235d16ac135cba984b19f3c33b7b2a51b6240b38bd2',
    de: '15daa712ae408478e2eab008293c91a1a922e5d0d5eb6617fa481c56e9947e64',
    fr: '6bcd6d14f611fe2d905c04ec2d325de36ae7d2a25de639cb95cbf5b737fa4b79',
    es: '6df86e8c3ff3585d4b87efaa7f8430518513682fe165052a8fed89be5e71061e',
    it: '9812e7418b397acc258e1f0c3b8cf45cf8cf2a5fb4554b3b126f048a7adf6a85',
    pt: '2b9d2ea89197004dddae8ff37e8ba3fc0daeab9278db431317367756d0609528',
    nl: '70fc09bb132b55b4a49942f90f2c0cda05061266e7e8f43e10df3d7d27da4347',
    pl: '6beca8dddd398d13b6254a12412b0ea46488ffee842d1ebf1ed4dff63fd39277',
    ja: '9eda2d75b07a61eef170a8ddf74c8ea62aa02dd90a95a4a8a739f4caedfca6f4',
    zh: '40f19134471442ee91f2fe39c9ff40be5da17b753131356563d45b447e2b38c0',
    ar: 'f3e4116ec4a656a67a0a4830ae76fae4eb7ef4977a1888361ddfc286cfd440d5',
    he: '8daac7774bf6ca32c86ebb4d9e7fc777fda3c29fc94e5b6c4ef5958a86121051',
  },
];

const hashesNow = Object.fromEntries(
  Language.options.map((language) => [language, hashOfConsentTexts(textsOf(language))]),
);

t.test('a changed text of the consent page has a new version', async (t) => {
  t.equal(hashes.length, consentVersion, 'a row for each version');
  t.strictSame(hashesNow, hashes[consentVersion - 1]);
  const all = hashes.flatMap((row) => Object.values(row));
  t.equal(new Set(all).size, all.length, 'no two texts are the same');
});

t.test('the hash follows from every text that the user agrees to', async (t) => {
  const en = textsOf('en');
  const changed = [
    { ...en, consentTitle: `${en.consentTitle}.` },
    { ...en, consentText: `${en.consentText}.` },
    { ...en, consentPeriod: `${en.consentPeriod}.` },
    { ...en, notShared: `${en.notShared}.` },
    { ...en, consentRights: `${en.consentRights}.` },
    { ...en, agree: `${en.agree}.` },
    { ...en, shares: { ...en.shares, sleep: 'Sleep and dreams' } },
  ];
  const all = [...changed, en].map(hashOfConsentTexts);
  t.equal(new Set(all).size, changed.length + 1);
  t.equal(hashOfConsentTexts({ ...en, back: 'To the list' }), hashesNow.en);
});

t.test('the field of the form names the version and the language, and nothing else is one', async (t) => {
  for (const language of Language.options)
    t.same(shownText(textField(language)), { version: consentVersion, language });
  t.same(shownText('1.de'), { version: 1, language: 'de' }, 'a page that was open during an upgrade');
  for (const field of [
    undefined,
    '',
    'en',
    '1',
    '1.xx',
    '0.en',
    '1.it',
    '1.he',
    `${consentVersion + 1}.en`,
    '1.5.en',
    7,
  ])
    t.equal(shownText(field), null, `${field}`);
});
