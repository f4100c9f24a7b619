import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { withoutSources } from './source-map.ts';

const here = import.meta.dirname;
const common: BuildOptions = {
  bundle: true,
  sourcemap: true,
  target: ['es2022', 'node18'],
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/** Writes one file of JavaScript as ES module and one as CommonJS, their source map, and the types. */
export async function buildPackage(folder = join(here, 'dist')): Promise<void> {
  const dist = resolve(folder);
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(join(dist, 'cjs'), { recursive: true });
  const index = join(here, 'src/index.ts');
  await build({ ...common, entryPoints: [index], format: 'esm', outfile: join(dist, 'index.js') });
  writeCommonJs(dist);
  shortenMap(join(dist, 'index.js.map'));
  await buildCommandLine(dist);
  writeTypes(dist);
}

/** The same code with its exports in another form at its end, so that one source map serves both. */
function writeCommonJs(dist: string): void {
  const code = readFileSync(join(dist, 'index.js'), 'utf8');
  const end = /export\{([^}]*)\};\s*\/\/# sourceMappingURL=index\.js\.map\s*$/;
  const names = end.exec(code)?.[1]?.split(',');
  if (names === undefined) throw new Error('The ES module does not end with its exports.');
  const exports = names
    .map((name) => name.split(' as '))
    .map(([local, name = local]) => `exports.${name}=${local};`);
  const text = `${code.replace(end, '')}${exports.join('')}\n//# sourceMappingURL=../index.js.map\n`;
  writeFileSync(join(dist, 'cjs/index.js'), text);
  writeFileSync(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n');
}

/**
 * Makes the source map smaller, by 34 of 44 kB: it keeps the file, line and column of hand-written code, which stack traces
 * name, and leaves out the text of the sources and the places of generated ones.
 */
function shortenMap(file: string): void {
  const map: SourceMap = JSON.parse(readFileSync(file, 'utf8'));
  const isGenerated = map.sources.map((source) => source.includes('/generated/'));
  const mappings = withoutSources(map.mappings, (source) => isGenerated[source] === true);
  writeFileSync(file, JSON.stringify({ version: 3, sources: map.sources, names: [], mappings }));
}

interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

/** The program `pulsebus`, if its source is there. It uses the ES module beside it. */
async function buildCommandLine(dist: string): Promise<void> {
  const main = join(here, 'src/cli/main.ts');
  if (!existsSync(main)) return;
  await build({
    ...common,
    entryPoints: [main],
    format: 'esm',
    platform: 'node',
    sourcemap: false,
    outfile: join(dist, 'cli.js'),
    banner: { js: '#!/usr/bin/env node' },
    plugins: [clientBeside],
  });
}

const clientBeside: Plugin = {
  name: 'client-beside',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^(\.\.\/)+index\.ts$/ }, () => ({ path: './index.js', external: true })),
};

/** Types are written once, as CommonJS; those of the ES module are the same. Both kinds of import may use them. */
function writeTypes(dist: string): void {
  const tsc = join(here, 'node_modules/typescript/bin/tsc');
  const options = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly'];
  const run = spawnSync(
    process.execPath,
    [tsc, '-p', join(here, 'tsconfig.build.json'), ...options, '--outDir', join(dist, 'cjs')],
    { encoding: 'utf8' },
  );
  if (run.status !== 0) throw new Error(`tsc failed:\n${run.stdout}${run.stderr}`);
  for (const file of globSync('cjs/**/*.d.ts', { cwd: dist })) shorten(join(dist, file));
  writeFileSync(join(dist, 'index.d.ts'), "export * from './cjs/index.js';\n");
}

// A third of the size of the types is indentation, semicolons, comments of one line on three, ids that are explained at
// each operation, and parts that an operation lacks. Of an operation the summary is kept, and of a long text the first sentence; the
// documentation of the API has the rest.
function shorten(file: string): void {
  const text = readFileSync(file, 'utf8')
    .replace(/^(?: {4})+/gm, (blanks) => '\t'.repeat(blanks.length / 4))
    .replace(/\/\*\*\n\t* \* (.*)\n\t* \*\//g, '/** $1 */')
    .replace(/^\t\/\*\*\n\t \* (.*)\n(?:\t \* .*\n)+\t \*\//gm, '\t/** $1 */')
    .replace(/^\tpath: \{\n[^}]*\}/gm, (path) => path.replace(/^\t*\/\*\*.*\*\/\n/gm, ''))
    .replace(/^\t(?:url: '.*'|(?:body|path|query|headers)\?: never);\n/gm, '')
    .replace(/;$/gm, '')
    .replace(/\n{2,}/g, '\n')
    .replace(
      /^(\t*\/\*\* )(.{120,})( \*\/)$/gm,
      (_, open, words, end) => `${open}${firstSentence(words)}${end}`,
    );
  writeFileSync(file, withoutRepetition(text));
}

const firstSentence = (words: string) => `${words.split(/[.:] /, 1)[0]}.`;

const commentOfField = /^\t*\/\*\* .* \*\/\n/gm;
/** Fields that several types have, such as those of every event, are explained in the first of them. */
const often = 2;

function withoutRepetition(text: string): string {
  const times = new Map<string, number>();
  for (const [comment] of text.matchAll(commentOfField))
    times.set(comment.trim(), (times.get(comment.trim()) ?? 0) + 1);
  const seen = new Set<string>();
  return text.replace(commentOfField, (comment) => {
    const words = comment.trim();
    if ((times.get(words) ?? 0) < often || !seen.has(words)) {
      seen.add(words);
      return comment;
    }
    return '';
  });
}
