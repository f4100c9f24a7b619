import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The documentation page: Swagger UI from its npm package, so that it works offline. */
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pulsebus API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="page"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script type="module" src="/docs/start.js"></script>
</body>
</html>
`;
const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
};
/** The script of the page that is not part of the package. */
const ownFile = 'start.js';
const fromPackage = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Sends the page, or one of its files by name; false if there is no such file. */
export function sendDocs(res: ServerResponse, file: string | undefined): boolean {
  const content = file === undefined ? page : contentOf(file);
  if (content === null) return false;
  const type = file === undefined ? 'text/html; charset=utf-8' : types[file.split('.').at(-1) ?? ''];
  res.writeHead(200, {
    'Content-Type': type ?? 'application/octet-stream',
    'Content-Length': Buffer.byteLength(content),
    'Content-Security-Policy': policy,
    'Cache-Control': 'public, max-age=3600',
  });
  res.end(content);
  return true;
}

const cache = new Map<string, Buffer>();

// Only listed file names are read, so that a requested name cannot be a path.
function contentOf(file: string): Buffer | null {
  const folder = file === ownFile ? join(import.meta.dirname, 'docs-page') : packageFolder();
  if (file !== ownFile && !fromPackage.includes(file)) return null;
  const content = cache.get(file) ?? readFileSync(join(folder, file));
  cache.set(file, content);
  return content;
}

function packageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}
