import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import {
  allGuides,
  codeBlock,
  type Guide,
  render,
} from '../../../services/api-gateway/actions/docs-page/guides.ts';
import { methodsOf } from '../../../services/api-gateway/actions/routes.ts';

const root = join(import.meta.dirname, '../../..');
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
const guides = await allGuides();
const documents = globSync(['docs/*.md', 'docs/insights/*.md'], { cwd: root });
// docs/insights/README.md is the guide `insights`, a page of it `insights-` and its name.
const nameOf = (file: string) => file.replace('/README', '').replace('/', '-');

const idsOf = ({ html }: Guide) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
const pages = new Map(guides.map((guide) => [`/docs/guides/${guide.name}`, guide]));

t.test('every document of docs/ is a guide, and each provider of data.md a page', async (t) => {
  const groups = z.record(z.string(), z.array(z.string())).parse(JSON.parse(textOf('docs/guides.json')));
  const listed = Object.values(groups).flat();
  t.strictSame(listed.map((name) => `docs/${name}.md`).sort(), documents.toSorted());
  const providers = [...textOf('docs/data.md').matchAll(/^## (\w+)/gm)].map(([, name]) => `data-${name}`);
  t.ok(providers.length > 5);
  t.strictSame(
    guides.map(({ name }) => name).filter((name) => !listed.map(nameOf).includes(name)),
    providers,
  );
  t.strictSame(
    guides.filter(({ title }) => title === '').map(({ name }) => name),
    [],
  );
});

t.test('every heading has an id of its own', async (t) => {
  const repeated = guides.filter((guide) => new Set(idsOf(guide)).size !== guide.sections.length);
  t.strictSame(
    repeated.map(({ name }) => name),
    [],
  );
});

t.test('every link between documents leads to a guide and to one of its headings', async (t) => {
  const links = guides.flatMap((guide) =>
    [...guide.html.matchAll(/ (?:href|src)="([^"]+)"/g)].flatMap(([, href = '']) => ({ guide, href })),
  );
  const leadsNowhere = links.filter(({ guide, href }) => {
    if (href.startsWith('https://')) return false;
    const [path = '', id = ''] = href.split('#');
    const image = /^\/docs\/guides\/images\/(.+)$/.exec(path)?.[1];
    if (image !== undefined) return !readdirSync(join(root, 'docs/images')).includes(image);
    const target = path === '' ? guide : pages.get(path);
    return target === undefined || (id !== '' && !idsOf(target).includes(id));
  });
  t.strictSame(
    leadsNowhere.map(({ guide, href }) => `${guide.name}: ${href}`),
    [],
  );
  // A link whose document is misspelt would be shown as text.
  const written = documents.flatMap((file) => [
    ...textOf(file).matchAll(/\]\((?:\.\.\/(?![A-Z]))?((?:insights\/)?[\w-]+\.md|#|images\/)/g),
  ]);
  const made = links.filter(({ href }) => !href.startsWith('https://'));
  const added = guides.filter(({ name }) => name.startsWith('data-')).length; // the list of the providers
  t.ok(written.length > 20);
  t.equal(made.length, written.length + added);
});

t.test('a document cannot bring HTML, scripts or files of the tree into the page', async (t) => {
  const { html } = render(
    '# A\n\n<script>alert(1)</script>\n\n<b onclick="x">b</b> [a](javascript:alert(1)) [c](../config.ts) ![d](../e.png)',
    () => null,
  );
  t.notMatch(html, /<(?:script|b|a|img)\b/);
  t.match(html, '&lt;script&gt;');
  const hrefs = guides.flatMap(({ html }) => [...html.matchAll(/ href="([^"]*)"/g)].map(([, href]) => href));
  t.strictSame(
    hrefs.filter((href = '') => !/^(?:https:\/\/|#|\/docs\/guides\/)/.test(href)),
    [],
  );
});

t.test('a code block marks the places of a key and of the address, and nothing else', async (t) => {
  const marked = (code: string, language = '') =>
    [...codeBlock(code, language).matchAll(/<span class="(key|base)">([^<]*)/g)].map(
      ([, name, text]) => `${name} ${text}`,
    );
  t.strictSame(marked('curl -H "X-API-Key: $KEY" http://127.0.0.1:3000/api/v1', 'sh'), [
    'key $KEY',
    'base http://127.0.0.1:3000',
  ]);
  t.strictSame(marked('{"X-API-Key": "sk-…", "url": "http://localhost:3000/mcp"}', 'json'), [
    'key sk-…',
    'base http://localhost:3000',
  ]);
  t.strictSame(marked('YOUR_KEY localhost:3000 http://127.0.0.1:PORT'), [
    'key YOUR_KEY',
    'base localhost:3000',
    'base http://127.0.0.1:PORT',
  ]);
  t.strictSame(marked('KEY=$(cat f) $KEYS process.env.KEY http://127.0.0.1:4000 https://a.example'), []);
});

const Package = z.object({ scripts: z.record(z.string(), z.string()) });

/** The commands of the shell blocks of a document, a command with its continued lines as one. */
function commandsOf(file: string): string[] {
  const blocks = [...textOf(file).matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);
  return blocks.flatMap((block) => block.replaceAll('\\\n', ' ').trim().split('\n'));
}

t.test('every command of the first hour names a route or a script that exists', async (t) => {
  const { scripts } = Package.parse(JSON.parse(textOf('package.json')));
  const isKnown = (command: string) => {
    const script = /\bnpm (?:run (?:-s )?)?([\w:-]+)/.exec(command)?.[1];
    if (script !== undefined) return script in scripts;
    const path = /127\.0\.0\.1:3000(\/[^\s"'?|]*)/.exec(command)?.[1]?.replace(/\$\w+/g, 'x');
    const method = /-X (\w+)/.exec(command)?.[1] ?? (/ -d /.test(command) ? 'POST' : 'GET');
    if (path !== undefined) return methodsOf(path).includes(method);
    return /^(?:KEY=\$\(cat |field\(\) |(?:DAY|WEEK)=\$\(node -p |echo )/.test(command);
  };
  const commands = commandsOf('docs/first-hour.md');
  t.ok(commands.length > 12);
  t.strictSame(
    commands.filter((command) => !isKnown(command)),
    [],
  );
});

t.test('the image of the containers has the guides and their images', async (t) => {
  const received = textOf('.dockerignore')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
  const context = globSync(received, { cwd: root });
  const isReceived = (file: string) => context.some((one) => file === one || file.startsWith(`${one}/`));
  const needed = ['docs/guides.json', ...documents, ...globSync('docs/images/*.webp', { cwd: root })];
  t.strictSame(
    needed.filter((file) => !isReceived(file)),
    [],
  );
});
