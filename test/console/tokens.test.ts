import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { contrast, distance, visions } from './colours.ts';

const source = readFileSync(join(import.meta.dirname, '../../console/src/tokens.css'), 'utf8');
const pairs = [...source.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g)];
const themes = (['light', 'dark'] as const).map((theme, index) => ({
  theme,
  colours: new Map(pairs.map(([, name = '', ...values]) => [name, values[index] ?? ''])),
}));

const texts = ['text', 'faint', 'main', 'good', 'warn', 'bad'];
const backs = ['back', 'face', 'sunken', 'main-soft', 'good-soft', 'warn-soft', 'bad-soft'];
const least = { text: 4.5, graphic: 3, distance: 0.07 };

function offenders(fronts: readonly string[], behind: readonly string[], bound: number): readonly string[] {
  return themes.flatMap(({ theme, colours }) =>
    fronts.flatMap((front) =>
      behind.flatMap((back) => {
        const found = contrast(colours.get(front) ?? '', colours.get(back) ?? '');
        return found >= bound ? [] : [`${front} on ${back}, ${theme}: ${found.toFixed(2)}`];
      }),
    ),
  );
}

const named = (prefix: string) =>
  [...(themes[0]?.colours.keys() ?? [])].filter((name) => name.startsWith(prefix));

t.test('every text can be read on every background, in both themes', async (t) => {
  t.strictSame(offenders(texts, backs, least.text), []);
  t.strictSame(offenders(['on-main'], ['main'], least.text), []);
  t.ok(offenders(['line'], ['face'], least.text).length === 2, 'a colour that is no text is found');
});

t.test('lanes and stages are seen on the face of a chart', async (t) => {
  const fronts = [...named('lane-'), ...named('stage-')];
  t.equal(fronts.length, 11);
  t.strictSame(offenders(fronts, ['face'], least.graphic), []);
});

t.test('lanes differ for everybody, also for people who see fewer colours', async (t) => {
  const lanes = named('lane-');
  const distances = themes.flatMap(({ theme, colours }) =>
    Object.entries(visions).flatMap(([vision, matrix]) =>
      lanes.flatMap((one, index) =>
        lanes.slice(index + 1).map((other) => ({
          of: `${one} and ${other}, ${theme}, ${vision}`,
          value: distance(colours.get(one) ?? '', colours.get(other) ?? '', matrix),
        })),
      ),
    ),
  );
  t.equal(distances.length, (2 * 4 * 7 * 6) / 2);
  t.strictSame(
    distances
      .filter(({ value }) => value < least.distance)
      .map(({ of, value }) => `${of}: ${value.toFixed(3)}`),
    [],
  );
  t.comment(`the least distance is ${Math.min(...distances.map(({ value }) => value)).toFixed(3)}`);
});

t.test('the computations are those of their sources', async (t) => {
  const { normal = [], protanopia = [] } = visions;
  t.equal(contrast('#000000', '#ffffff').toFixed(2), '21.00');
  t.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
  t.equal(distance('#000000', '#ffffff', normal).toFixed(3), '1.000');
  t.ok(distance('#ff0000', '#806000', normal) > 0.2);
  t.ok(distance('#cc4400', '#777700', protanopia) < distance('#cc4400', '#777700', normal) / 2);
});
