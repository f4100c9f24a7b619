import t from 'tap';
import { loadConfig } from '../../../config.ts';
import { Language } from '../../../contracts/connect/schemas.ts';
import { textsOf } from '../../../services/api-gateway/actions/connect-page/languages.ts';
import { readAssets } from '../../../services/api-gateway/actions/connect-page/page-assets.ts';
import { isolated, sentence, withoutIsolates } from '../../../services/api-gateway/rules/html.ts';
import { isolationProblems, viewsOf } from '../../support/connect-views.ts';

interface Text {
  readonly key: string;
  /** The places of names in it. */
  readonly places: readonly string[];
  readonly text: string;
}

/** All texts of a language. */
function* allTexts(value: unknown, key = ''): Generator<Text> {
  if (typeof value === 'string')
    yield { key, places: [...new Set(value.match(/\{.*?\}/g))].sort(), text: value };
  else
    for (const [name, inner] of Object.entries(Object(value)))
      yield* allTexts(inner, key === '' ? name : `${key}.${name}`);
}

const english = [...allTexts(textsOf('en'))];
const others = Language.options.filter((language) => language !== 'en');
const byKey = (texts: readonly Text[]) => new Map(texts.map((text) => [text.key, text]));

/** What may read as in English: the direction of the other languages that run from left to right. */
const mayBeSame: ReadonlySet<string> = new Set(['direction']);

t.test('each language has every text, with the same names in it', async (t) => {
  t.ok(english.length > 60, `${english.length} texts`);
  const named = new Set(english.flatMap(({ places }) => places));
  t.strictSame([...named].sort(), ['{app}', '{providers}', '{provider}']);
  const keysOf = (texts: readonly Text[]) => texts.map(({ key, places }) => `${key} ${places}`).sort();
  for (const language of others)
    t.strictSame(keysOf([...allTexts(textsOf(language))]), keysOf(english), language);
});

t.test('no text is left in English, and none is empty or the same as another one', async (t) => {
  for (const language of others) {
    const texts = [...allTexts(textsOf(language))];
    const known = byKey(english);
    const same = texts.filter(({ key, text }) => text.trim() === '' || text === known.get(key)?.text);
    t.strictSame(
      same.map(({ key }) => key).filter((key) => !mayBeSame.has(key)),
      [],
      language,
    );
    const titles = texts.filter(({ key }) => key.endsWith('.title') || key.startsWith('shares.'));
    t.equal(new Set(titles.map(({ text }) => text)).size, titles.length, language);
  }
});

t.test('texts of languages with another script are in it', async (t) => {
  const scripts = {
    ja: /[\u3040-\u30ff\u4e00-\u9fff]/,
    zh: /[\u4e00-\u9fff]/,
    ar: /[\u0600-\u06ff]/,
    he: /[\u0590-\u05ff]/,
  };
  const wrong = Object.entries(scripts).flatMap(([language, script]) =>
    [...allTexts(textsOf(Language.parse(language)))]
      .filter(({ key, text }) => key !== 'tag' && key !== 'direction' && !script.test(text))
      .map(({ key }) => `${language} ${key}`),
  );
  t.strictSame(wrong, []);
});

t.test('names are isolated in every view, so that none turns the sentence around it', async (t) => {
  for (const language of Language.options)
    t.strictSame(
      Object.entries(viewsOf(language)).flatMap(([name, view]) => isolationProblems(name, view)),
      [],
      language,
    );
  const name = 'A\u202e"<b>\u2069';
  t.equal(sentence(`a ${isolated(name)}`).text, 'a <bdi>A&quot;&lt;b&gt;</bdi>');
  t.equal(sentence(`、${isolated('A')}、${isolated('B')}`).text, '、<wbr><bdi>A</bdi>、<wbr><bdi>B</bdi>');
  t.equal(withoutIsolates(`a ${isolated(name)}`), 'a A"<b>');
});

t.test('a page has at most 40 kB with its style sheet', async (t) => {
  const { style } = readAssets(loadConfig({}));
  const sizes = Language.options.flatMap((language) =>
    Object.values(viewsOf(language)).map((view) => Buffer.byteLength(view)),
  );
  t.ok(
    Math.max(...sizes) + style.content.length <= 40_000,
    `${Math.max(...sizes)} + ${style.content.length} B`,
  );
});

t.test('the document has the language and the direction of its texts', async (t) => {
  const heads = Language.options.map((language) => /<html [^>]*>/.exec(viewsOf(language).pick ?? '')?.[0]);
  const tags = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'ja', 'zh-Hans', 'ar', 'he'];
  t.strictSame(
    heads,
    tags.map((tag) => `<html lang="${tag}" dir="${tag === 'ar' || tag === 'he' ? 'rtl' : 'ltr'}">`),
  );
});
