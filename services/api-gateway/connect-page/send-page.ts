import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../../../config.ts';
import type { Language } from '../../../contracts/connect/schemas.ts';
import { LogoName } from '../../../contracts/fields.ts';
import type { Call } from '../../../runtime/environment.ts';
import type { Pipeline } from '../pipeline/exchange.ts';
import { chooseLanguage, textsOf } from './languages.ts';
import {
  colouredStyle,
  logoAsset,
  type PageAsset,
  type PageAssets,
  readAssets,
  styleNamed,
} from './page-assets.ts';
import { documentOf, type Frame, problemView, type View } from './page-views.ts';
import { baseOf } from './session-cookie.ts';
import type { Problem } from './texts.ts';

/** A request for the connect page. */
export interface PageRequest {
  readonly pipeline: Pipeline;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

const policy =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/** An SVG file that is opened by itself must not run scripts. */
const assetPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";

const read = new WeakMap<Config, PageAssets>();

/** The files of the page, read once. @throws ConfigError if the logo cannot be used */
export function assetsOf(config: Config): PageAssets {
  const assets = read.get(config) ?? readAssets(config);
  read.set(config, assets);
  return assets;
}

/** What a page shows of the product. Without a value it is the installation's. */
export interface Brand {
  readonly app?: string | null;
  readonly colour?: string | null;
  readonly logo?: string | null;
}

/** What the views of a request share. */
export function frameOf(
  { pipeline, req }: PageRequest,
  wanted: Language | null,
  sessionId = '',
  { app = null, colour = null, logo = null }: Brand = {},
): Frame {
  const assets = assetsOf(pipeline.config);
  const style = colour === null ? assets.style : colouredStyle(assets, colour);
  const logoName = logo ?? assets.logo?.name ?? null;
  const base = pathOf(pipeline);
  const language = chooseLanguage(wanted, req.headers['accept-language']);
  return {
    texts: textsOf(language),
    language,
    app: app ?? pipeline.config.CONNECT_NAME,
    sessionUrl: `${base}/connect/session/${sessionId}`,
    styleUrl: `${base}/connect/assets/${style.name}`,
    logoUrl: logoName === null ? null : `${base}/connect/assets/${logoName}`,
  };
}

/** Sends a page. It is not kept, sends no referrer, is not framed and runs no script. */
export function sendView({ res }: PageRequest, status: number, frame: Frame, view: View): void {
  const body = documentOf(frame, view);
  setPageHeaders(res);
  res.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': frame.texts.tag,
    'Content-Length': Buffer.byteLength(body),
    'Content-Security-Policy': policy,
  });
  res.end(body);
}

/** Sends the page of a refusal. */
export function sendProblem(
  request: PageRequest,
  status: number,
  given: {
    readonly problem: Problem;
    readonly language: Language | null;
    readonly returnUrl: string | null;
  },
): void {
  const frame = frameOf(request, given.language);
  sendView(request, status, frame, problemView(frame, given.problem, given.returnUrl));
}

/** Redirects the browser to a path of the page. */
export function redirectTo({ pipeline, res }: PageRequest, path: string): void {
  setPageHeaders(res);
  res.writeHead(303, { Location: `${pathOf(pipeline)}${path}`, 'Content-Length': 0 }).end();
}

/** Sends a file of the page. */
export async function sendAsset(request: PageRequest, call: Call, name: string): Promise<void> {
  const { pipeline, res } = request;
  const asset = await assetNamed(assetsOf(pipeline.config), call, name);
  if (asset === null) {
    sendProblem(request, 404, { problem: 'unknown', language: null, returnUrl: null });
    return;
  }
  setPageHeaders(res);
  res.writeHead(200, {
    'Content-Type': asset.type,
    'Content-Length': asset.content.length,
    'Content-Security-Policy': assetPolicy,
    'Cache-Control': 'public, max-age=86400, immutable',
  });
  res.end(asset.content);
}

async function assetNamed(assets: PageAssets, call: Call, name: string): Promise<PageAsset | null> {
  const { style, logo } = assets;
  const own = [style, logo].find((one) => one?.name === name) ?? styleNamed(assets, name);
  if (own !== null || !LogoName.safeParse(name).success) return own;
  const { content } = await call('auth.connectLogo', { name });
  return content === null ? null : logoAsset(name, Buffer.from(content, 'base64'));
}

// The common headers allow pages of all origins to read an answer, which the cookie of this page rules out.
function setPageHeaders(res: ServerResponse): void {
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('X-Frame-Options', 'DENY');
  res.removeHeader('Access-Control-Allow-Origin');
  res.removeHeader('Access-Control-Expose-Headers');
}

function pathOf(pipeline: Pipeline): string {
  return baseOf(pipeline).pathname.replace(/\/$/, '');
}
