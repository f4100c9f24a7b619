import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { ConfigError, loadConfig } from '../../../config.ts';
import { chooseLanguage } from '../../../services/api-gateway/actions/connect-page/languages.ts';
import {
  accentOn,
  backgrounds,
  contrast,
  readAssets,
} from '../../../services/api-gateway/actions/connect-page/page-assets.ts';
import { html } from '../../../services/api-gateway/rules/html.ts';

t.test('a colour of the operator can be read in both themes, whichever it is', async (t) => {
  const colours = ['00', '33', '7f', '80', 'cc', 'ff'].flatMap((red) =>
    ['00', '66', 'b0', 'ff'].flatMap((green) => ['00', '5f', 'ff'].map((blue) => `#${red}${green}${blue}`)),
  );
  const unreadable = colours.filter((color) =>
    Object.values(backgrounds).some((background) => {
      const { fill, text } = accentOn(color, background);
      return contrast(fill, background) < 4.5 || contrast(fill, text) < 4.5;
    }),
  );
  t.same(unreadable, []);
  t.equal(accentOn('#1a5fb4', backgrounds.light).fill, '#1a5fb4', 'one that can be read stays');
  t.equal(contrast('#000000', '#ffffff'), 21);
  t.equal(Math.round(contrast('#777777', '#ffffff') * 100), 448);
});

t.test('the language is that of the session, otherwise the best that the browser accepts', async (t) => {
  t.equal(chooseLanguage('es', 'de'), 'es');
  const accepted = [
    ['de-CH,de;q=0.9,en;q=0.8', 'de'],
    ['sv,fr;q=0.5,es;q=0.7', 'es'],
    ['FR', 'fr'],
    ['de;q=0,en;q=0.1', 'en'],
    ['sv', 'en'],
    ['zh-CN', 'zh'],
    ['zh-Hans-SG,en;q=0.9', 'zh'],
    ['pt-BR,pt;q=0.9', 'pt'],
    ['iw', 'he'],
    ['iw-IL;q=0.8,ar;q=0.7', 'he'],
    ['italian', 'en'],
    ['toString,constructor', 'en'],
    [undefined, 'en'],
    [';;,,q=', 'en'],
  ] as const;
  for (const [given, language] of accepted) t.equal(chooseLanguage(null, given), language, given ?? 'none');
});

t.test('values are escaped in HTML', async (t) => {
  const { text } = html`<a href="${`"><script>alert('1')</script>&`}">${html`<b>kept</b>`}</a>`;
  t.equal(text, '<a href="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;"><b>kept</b></a>');
});

t.test('a logo that is no image, too large or missing stops the start and names the setting', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pulsebus-logo-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const files = {
    'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'page.html': '<html></html>',
    'large.svg': `<svg>${' '.repeat(300_000)}</svg>`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const assetsWith = (name: string) => readAssets(loadConfig({ CONNECT_LOGO: `${folder}/${name}` }));
  t.match(assetsWith('logo.svg').logo, { type: 'image/svg+xml', name: /^logo-[0-9a-f]{16}\.svg$/ });
  for (const name of ['page.html', 'large.svg', 'missing.png'])
    t.throws(() => assetsWith(name), { name: 'ConfigError', message: /CONNECT_LOGO/ });
  for (const color of ['red', '#fff', '#12345g', 'url(x)'])
    t.throws(() => loadConfig({ CONNECT_COLOR: color }), ConfigError, color);
});
