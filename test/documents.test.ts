import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import t from 'tap';

const root = join(import.meta.dirname, '..');
const text = (file: string) => readFileSync(join(root, file), 'utf8');
const pages = globSync(['*.md', 'docs/**/*.md', 'clients/typescript/*.md'], { cwd: root });
const decisions = pages.filter((file) => /^docs\/decisions\/\d/.test(file));

t.test('the pages that are read first are short', async (t) => {
  const longest = { 'README.md': 1200, 'ARCHITECTURE.md': 3500 };
  const words = (file: string) => text(file).split(/\s+/).length;
  t.same(
    Object.entries(longest).filter(([file, most]) => words(file) > most),
    [],
  );
  t.same(
    decisions.filter((file) => words(file) > 700),
    [],
    'a decision is about a page',
  );
});

t.test('every decision is listed, with its context and its consequences', async (t) => {
  const list = text('docs/decisions/README.md');
  const offenders = decisions.filter(
    (file) =>
      !list.includes(`(${basename(file)})`) ||
      !/## Context\n[\s\S]*## Decision\n[\s\S]*## Consequences\n/.test(text(file)),
  );
  t.same(offenders, []);
});

t.test('links between pages lead to files', async (t) => {
  const broken = pages.flatMap((page) =>
    [...text(page).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
      .map(([, to = '']) => to)
      .filter((to) => !/^[a-z]+:/.test(to) && !existsSync(join(root, dirname(page), to)))
      .map((to) => `${page}: ${to}`),
  );
  t.same(broken, []);
});
