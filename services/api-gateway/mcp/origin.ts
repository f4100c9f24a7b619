import type { Config } from '../../../config.ts';

const local = ['localhost', '127.0.0.1', '[::1]'];

/** Whether web pages of an origin may call: those of this machine, of PUBLIC_URL and of MCP_ORIGINS. */
export function isAllowedOrigin(origin: string, { PUBLIC_URL, MCP_ORIGINS }: Config): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return false;
  const named = [...MCP_ORIGINS, ...(PUBLIC_URL === undefined ? [] : [new URL(PUBLIC_URL).origin])];
  return local.includes(url.hostname) || named.includes(url.origin);
}
