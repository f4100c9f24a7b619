// npm run test:browser: every view of the connect page in every language, without a server.
import t from 'tap';
import { Language } from '../../contracts/connect/schemas.ts';
import { findingsOf } from '../support/axe.ts';
import { startBrowser } from '../support/browser.ts';
import { viewsOf } from '../support/connect-views.ts';
import { showViews } from './show-views.ts';

const { page, show } = await showViews(await startBrowser());
t.teardown(() => page.close());

/** Texts that do not fit unless a word is broken, and targets that are too small for a finger. */
const misfits = `(() => {
  document.body.style.overflowWrap = 'normal';
  const boxes = [...document.querySelectorAll('html, header, h1, h2, p, li, li > span, label, select, .button, .chip > span')];
  const targets = [...document.querySelectorAll('.button, select')];
  const named = (kind, list) => list.map((one) => kind + ': ' + one.localName + ' ' + one.textContent.trim().slice(0, 60));
  return [
    ...named('wide', boxes.filter((one) => one.scrollWidth > one.clientWidth)),
    ...named('low', targets.filter((one) => one.getBoundingClientRect().height < 44)),
  ];
})()`;

t.test('every view fits 320 px in every language', async (t) => {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const language of Language.options) {
    const found: string[] = [];
    for (const [name, view] of Object.entries(viewsOf(language))) {
      await show(view);
      const wrong = await page.evaluate<string[]>(misfits);
      found.push(...wrong.map((one) => `${name}: ${one}`));
    }
    t.strictSame(found, [], language);
  }
});

/** Views whose elements are in others too. */
const repeated: ReadonlySet<string> = new Set(['pick', 'pick-none', 'consent-alone', 'expired']);

// Hebrew, because axe takes joined Arabic letters for the ligatures of an icon font and leaves out their contrast.
t.test('no view has a violation, in a language of each direction and in both themes', async (t) => {
  await page.setViewportSize({ width: 360, height: 800 });
  for (const language of ['en', 'he'] as const)
    for (const [name, view] of Object.entries(viewsOf(language)).filter(([name]) => !repeated.has(name))) {
      await show(view);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const { violations, passed } = await findingsOf(page);
        t.strictSame(violations, [], `${name} ${language} ${colorScheme}`);
        t.ok(passed.includes('color-contrast'), 'the rules ran');
      }
    }
});
