import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BrowserAnswer } from '../../../domain/wire.ts';
import { escaped } from '../connect-page/html.ts';
import { failureToSend } from './answer.ts';

/**
 * Answers for a browser: a redirect, or a small page of plain text. The requested address may contain a secret, so no
 * referrer is sent, and the page loads no resources.
 */
const style =
  'body{font:1.1rem/1.6 system-ui,sans-serif;max-width:34rem;margin:18vh auto 0;padding:0 1.5rem;color:#1c2330}h1{font-size:1.5rem}';
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Sends a BrowserAnswer. */
export function sendToBrowser(res: ServerResponse, result: unknown): void {
  const answer = BrowserAnswer.parse(result);
  res.setHeader('Referrer-Policy', 'no-referrer');
  if (answer.kind === 'page') sendPage(res, answer.status, answer.title, answer.text);
  else res.writeHead(303, { Location: answer.location, 'Content-Length': 0 }).end();
}

/** Sends a failure as a page. @throws the failure itself if the client does not accept HTML */
export function sendFailureToBrowser(req: IncomingMessage, res: ServerResponse, error: unknown): void {
  res.setHeader('Referrer-Policy', 'no-referrer');
  if (!/\btext\/html\b/.test(req.headers.accept ?? '')) throw error;
  const { status, detail } = failureToSend(error);
  sendPage(res, status, 'The request failed', detail);
}

function sendPage(res: ServerResponse, status: number, title: string, text: string): void {
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body><main>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
</main></body>
</html>
`;
  res.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Content-Security-Policy': policy,
  });
  res.end(body);
}
