import { auth } from '../../../contracts/auth.ts';
import { Nothing } from '../../../domain/contract.ts';
import { titlesOf } from '../../../runtime/provider-settings.ts';
import type { Endpoint } from '../endpoints.ts';
import { enter } from '../pipeline/admission.ts';
import type { Exchange, Pipeline } from '../pipeline/exchange.ts';
import { sendConsolePage, sendEmbeddedPage } from './console-files.ts';

const { findEmbed } = auth.actions;

/** The page of one user's days within pages of other origins. Its path is the label in metrics and traces, not the token. */
export const embedPage: Endpoint = {
  action: 'auth.findEmbed',
  definition: { ...findEmbed, params: Nothing },
  route: { method: 'GET', path: '/console/embed/:token', access: 'public', tag: 'Console' },
};

const tokenForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const longestToken = 4096;

/** Sends the page with the policy of its token. With any other text no page may show it, and the status is 404. */
export async function serveEmbed(pipeline: Pipeline, exchange: Exchange): Promise<void> {
  const { res, call, path } = exchange;
  await enter(pipeline, exchange, true);
  const token = path.token ?? '';
  const isToken = tokenForm.test(token) && token.length <= longestToken;
  const { origins } = isToken ? await call('auth.findEmbed', { token }) : { origins: null };
  if (origins === null) return sendConsolePage(res, 404);
  const content = JSON.stringify(titlesOf(pipeline.config));
  sendEmbeddedPage(res, origins, { name: 'provider-titles', content });
}
