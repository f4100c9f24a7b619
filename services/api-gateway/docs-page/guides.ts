import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../../domain/json/json-bounds.ts';
import { idOf, type Rendered, type Resolve, render } from './markdown.ts';

const folder = join(import.meta.dirname, '../../../docs');

/** The groups of the navigation in their order, each with the names of its files in docs/. */
const GuideGroups = z.record(z.string(), z.array(z.string()));

/** A page below /docs/guides, in the order of docs/guides.json. */
export interface Guide extends Rendered {
  readonly name: string;
  readonly group: string;
}

let read: Promise<readonly Guide[]> | undefined;

/** All guides. They are rendered at the first call, and at the next one if a file could not be read. */
export function allGuides(): Promise<readonly Guide[]> {
  if (read !== undefined) return read;
  read = renderAll();
  read.catch(() => {
    read = undefined;
  });
  return read;
}

/** The address of a guide. */
export function guidePath(name: string): string {
  return `/docs/guides/${name}`;
}

interface Page {
  readonly name: string;
  readonly group: string;
  readonly markdown: string;
}

async function renderAll(): Promise<readonly Guide[]> {
  const groups = GuideGroups.parse(parseJson(await readFile(join(folder, 'guides.json'), 'utf8')));
  const named = Object.entries(groups).flatMap(([group, names]) => names.map((name) => ({ group, name })));
  const pages = await Promise.all(
    named.map(async ({ group, name: file }) => {
      const [name, markdown] = [nameOf(file), await readFile(join(folder, `${file}.md`), 'utf8')];
      return name === 'data' ? providerPages({ group, name, markdown }) : [{ group, name, markdown }];
    }),
  );
  const resolve = resolverOf(pages.flat());
  return pages.flat().map(({ name, group, markdown }) => ({ name, group, ...render(markdown, resolve) }));
}

// docs/insights/README is /docs/guides/insights, and docs/insights/activity is /docs/guides/insights-activity.
const nameOf = (file: string) => file.replace('/README', '').replace('/', '-');

/** docs/data.md has a section for each provider, which becomes a page of its own. */
function providerPages({ group, name, markdown }: Page): Page[] {
  const [introduction = '', ...sections] = markdown.split(/^(?=## )/m);
  const providers = sections.map((section) => ({
    name: `${name}-${/^## (\w+)/.exec(section)?.[1]}`,
    group,
    markdown: section.replace(/^#(?=#+ )/gm, ''),
  }));
  const links = providers.map(
    (page) => `- [${titleOf(page.markdown)}](${name}.md#${idOf(titleOf(page.markdown))})`,
  );
  return [{ name, group, markdown: `${introduction}\n${links.join('\n')}\n` }, ...providers];
}

function titleOf(markdown: string): string {
  return /^# (.*)$/m.exec(markdown)?.[1] ?? '';
}

/** Links lead to other guides, to headings, to images of docs/ and to https addresses. Files of the tree are not served. */
function resolverOf(pages: readonly Page[]): Resolve {
  const names = new Set(pages.map(({ name }) => name));
  const byTitle = new Map(pages.map(({ name, markdown }) => [idOf(titleOf(markdown)), name]));
  return (href) => {
    if (/^(?:https:\/\/|#)/.test(href)) return href;
    const image = /^images\/([\w-]+\.webp)$/.exec(href)?.[1];
    if (image !== undefined) return `/docs/guides/images/${image}`;
    const [, path = '', hash = ''] = /^(?:\.\.\/)?([\w/-]+)\.md(?:#(.+))?$/.exec(href) ?? [];
    const file = [nameOf(path), `insights-${path}`].find((one) => names.has(one));
    if (file === undefined) return null;
    const page = (file === 'data' && byTitle.get(hash)) || file;
    return guidePath(page) + (hash === '' ? '' : `#${hash}`);
  };
}
