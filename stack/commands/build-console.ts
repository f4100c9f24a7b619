import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { consoleFolder, consoleSource } from './console-build.ts';

/** `npm run console`: builds the pages of the console. A running gateway serves the new ones from the next reload on. */
const root = join(import.meta.dirname, '../../console');
const aside = join(root, `.dist-${process.pid}`);
const source = consoleSource();
const options = {
  absWorkingDir: root,
  entryPoints: ['src/main.tsx'],
  outdir: aside,
  entryNames: 'assets/[name]-[hash]',
  chunkNames: 'assets/[name]-[hash]',
  assetNames: 'assets/[name]-[hash]',
  publicPath: '/console/',
  bundle: true,
  minify: true,
  metafile: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
} satisfies BuildOptions;

try {
  // esbuild writes the styles of a page that is loaded later to a file that nothing loads. Therefore scripts are built
  // without styles, and styles without splitting, as one file.
  const { metafile } = await build({
    ...options,
    splitting: true,
    loader: { '.svg': 'file', '.css': 'empty' },
  });
  const styles = await build({ ...options, loader: { '.svg': 'file' }, write: false });
  const sheet = styles.outputFiles.find(({ path }) => path.endsWith('.css'));
  if (sheet === undefined) throw new Error('no page of the console imports styles');
  mkdirSync(dirname(sheet.path), { recursive: true });
  writeFileSync(sheet.path, sheet.contents);
  writeFileSync(join(aside, 'index.html'), pageOf(metafile, sheet.path));
  writeFileSync(join(aside, 'source-hash'), source);
  rmSync(consoleFolder, { recursive: true, force: true });
  renameSync(aside, consoleFolder);
} finally {
  rmSync(aside, { recursive: true, force: true });
}

/** index.html with the built files in place of their sources, and links to what the script loads first. */
function pageOf({ outputs }: Metafile, sheet: string): string {
  const addressOf = (file: string) => `/console/${relative(aside, join(root, file))}`;
  const builtFrom = (input: string) =>
    Object.keys(outputs).find((file) => Object.hasOwn(outputs[file]?.inputs ?? {}, input)) ?? '';
  const script = builtFrom('src/main.tsx');
  const chunks = (outputs[script]?.imports ?? []).filter(({ kind }) => kind === 'import-statement');
  const links = [
    ...chunks.map(({ path }) => `<link rel="modulepreload" href="${addressOf(path)}">`),
    `<link rel="stylesheet" href="/console/${relative(aside, sheet)}">`,
  ];
  return readFileSync(join(root, 'index.html'), 'utf8')
    .replace('./src/icon.svg', addressOf(builtFrom('src/icon.svg')))
    .replace('./src/main.tsx', addressOf(script))
    .replace('</head>', [...links, '</head>'].join('\n'));
}
