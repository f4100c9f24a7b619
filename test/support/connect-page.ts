import { z } from 'zod';
import { consentVersion } from '../../services/api-gateway/actions/connect-page/languages.ts';
import type { Answer, Ask, TestApi } from './api.ts';

const Session = z.object({ url: z.string(), token: z.string(), expires_at: z.string() });

/** A link to the connect page. */
export async function sessionFor(
  api: TestApi,
  userId: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<z.infer<typeof Session>> {
  const body = { user_id: userId, ...more };
  return Session.parse(await api.expect(201, '/connect/sessions', { body }));
}

/** A browser: it keeps cookies, and follows the redirects of this server. */
export interface Visitor {
  readonly cookies: Map<string, string>;
  /** Opens an address of this server. Redirects to other servers are returned. */
  open(url: string, ask?: Ask): Promise<Answer & { readonly url: string }>;
}

const mostRedirects = 5;

/** A browser without cookies. */
export function visitor(api: Pick<TestApi, 'ask' | 'url'>): Visitor {
  const cookies = new Map<string, string>();
  const headersOf = (ask: Ask) => ({
    accept: 'text/html',
    cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    ...ask.headers,
  });
  return {
    cookies,
    async open(url, ask = {}) {
      let at = new URL(url, api.url);
      let given = ask;
      for (let count = 0; count <= mostRedirects; count += 1) {
        const answer = await api.ask(`${at.pathname}${at.search}`, { ...given, headers: headersOf(given) });
        for (const line of answer.headers.getSetCookie()) {
          const [name = '', value = ''] = line.split(';')[0]?.split('=') ?? [];
          cookies.set(name, value);
        }
        const location = answer.headers.get('location');
        const next = location === null ? null : new URL(location, at);
        if (next === null || next.origin !== new URL(api.url).origin)
          return { ...answer, text: withoutIsolation(answer.text), url: next?.href ?? at.href };
        at = next;
        given = {};
      }
      throw new Error('too many redirects');
    },
  };
}

// Sentences are read as a user reads them; test/services/api-gateway/connect-texts.test.ts checks that their names are isolated.
function withoutIsolation(text: string): string {
  return text.replace(/<\/?bdi>/g, '');
}

/** The value of the hidden field of a consent page. */
export function formOf(page: Answer): string {
  return /name="form" value="([0-9a-f]{64})"/.exec(page.text)?.[1] ?? '';
}

/** Agrees on a consent page. Returns the page that leads on to the provider. */
export function agree(
  browser: Visitor,
  url: string,
  form: string,
  { text = `${consentVersion}.en`, ...more }: Readonly<Record<string, string>> = {},
): Promise<Answer & { readonly url: string }> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
  return browser.open(url, {
    method: 'POST',
    body: String(new URLSearchParams({ form, text, ...more })),
    headers,
  });
}

/** The provider's address on the page that leads on to it. */
export function leadsTo(page: Answer): string {
  const [, url = ''] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(page.text) ?? [];
  return url.replaceAll('&amp;', '&');
}
