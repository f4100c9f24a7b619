import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { consoleFolder, consoleSource } from './console-build.ts';

/** `npm run console`: builds the pages of the console. A running gateway serves the new ones from the next reload on. */
const root = join(import.meta.dirname, '../../console');
const aside = join(root, `.dist-${process.pid}`);
const source = consoleSource();
try {
  await build({
    root,
    base: '/console/',
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir: aside,
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  });
  writeFileSync(join(aside, 'source-hash'), source);
  rmSync(consoleFolder, { recursive: true, force: true });
  renameSync(aside, consoleFolder);
} finally {
  rmSync(aside, { recursive: true, force: true });
}
