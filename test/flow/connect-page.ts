import type { Test } from 'tap';
import { consentTo, playProvider } from '../services/connect/provider.ts';
import { appUrl, startConnect } from '../support/connect.ts';
import { agree, formOf, leadsTo, sessionFor, type Visitor, visitor } from '../support/connect-page.ts';

const back = { redirect_uri: appUrl };

/** The product with a provider, and the steps of a visitor of the connect page. */
export async function installConnectPage(t: Test) {
  const provider = await playProvider(t);
  const api = await startConnect(t, provider.settings, { RATE_LIMIT_FAILURES: '100000' });

  /** Opens a new session; the address of its page, and the browser that opened it. */
  const opened = async (userId: string, more: Readonly<Record<string, unknown>> = back) => {
    const { url, token } = await sessionFor(api, userId, more);
    const browser = visitor(api);
    const page = await browser.open(url);
    return { token, browser, page, url: page.url, link: url };
  };

  /** From the page to the provider: the address of its consent page. */
  const toProvider = async (browser: Visitor, url: string, name = 'devicemaker'): Promise<string> => {
    const page = await browser.open(`${url}/${name}`);
    return leadsTo(await agree(browser, `${url}/${name}`, formOf(page)));
  };

  const connect = async (browser: Visitor, url: string, name = 'devicemaker') =>
    browser.open((await consentTo(await toProvider(browser, url, name))).href);

  return { provider, api, opened, toProvider, connect };
}
