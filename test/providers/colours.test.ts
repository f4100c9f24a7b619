import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import t from 'tap';
import { monogramOf } from '../../domain/provider/monogram.ts';
import { providerNames, providers } from '../../providers/all.ts';
import { contrast } from '../../services/api-gateway/actions/connect-page/page-assets.ts';

const root = resolve(import.meta.dirname, '../..');
const textOf = (file: string) => readFileSync(resolve(root, file), 'utf8');
const ofConnectPage = textOf('services/api-gateway/actions/connect-page/page.css');
const sheets = [textOf('console/src/tokens.css'), ofConnectPage];

/** The colours on which monograms stand: of the pages and of what lies on them, in both themes. */
const backgrounds = sheets.flatMap((sheet) =>
  [...sheet.matchAll(/--(?:page|card|back|face): (?:light-dark\()?([^;]+)/g)].flatMap(([, value = '']) =>
    [...value.matchAll(/#[0-9a-f]{6}/g)].map(([colour]) => colour),
  ),
);

t.test("every provider's monogram can be seen and read on the light and on the dark page", async (t) => {
  t.equal(new Set(backgrounds).size, 7, backgrounds.join(' '));
  const wrong = providerNames.flatMap((name) => {
    const { colour } = providers[name];
    const isForm = /^#[0-9a-f]{6}$/.test(colour);
    const unseen = backgrounds.filter((background) => contrast(colour, background) < 3);
    const isRead = contrast(colour, '#ffffff') >= 4.5;
    return isForm && isRead && unseen.length === 0 ? [] : [`${name} ${colour} ${unseen.join(' ')}`];
  });
  t.same(wrong, []);
  for (const sheet of [textOf('console/src/style.css'), ofConnectPage])
    t.match(sheet, /\.monogram text \{\s*fill: #ffffff;/);
});

t.test('no two providers have the same colour or the same monogram', async (t) => {
  const all = Object.values(providers);
  t.equal(new Set(all.map(({ colour }) => colour)).size, all.length);
  t.equal(new Set(all.map(({ title }) => monogramOf(title))).size, all.length);
});

t.test('a monogram has the first letters of two words, or two letters of one', async (t) => {
  const titles = ['Garmin', 'Google Health', ' Our  own Ring ', 'X', 'e\u0301clair', '', '1 & 2'];
  t.same(titles.map(monogramOf), ['Ga', 'GH', 'Oo', 'X', 'e\u0301c', '', '1&']);
});
