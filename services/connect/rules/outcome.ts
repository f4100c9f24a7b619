import type { ConnectReason, ConnectStatus } from '../../../contracts/connect/schemas.ts';
import type { BrowserAnswer } from '../../../domain/wire.ts';

/** The outcome of a connection attempt. */
export type Outcome =
  | { readonly status: 'connected' }
  | { readonly status: 'denied'; readonly reason: 'access_denied' }
  | { readonly status: 'failed'; readonly reason: Exclude<ConnectReason, 'access_denied'> };

/** The sentence of the result page for a reason; `name` is the provider's. */
const sentences: Readonly<Record<ConnectReason, (name: string) => string>> = {
  access_denied: (name) => `You did not allow access, so ${name} was not connected. Nothing was stored.`,
  permission_missing: (name) =>
    `Without the permission to read activities or health data ${name} cannot be connected. Please start again and leave it ticked.`,
  link_expired: () => 'This link was open for too long. Please start again.',
  code_expired: (name) =>
    `The confirmation of ${name} reached us too late. Please start again; it is valid for a short time only.`,
  provider_refused: (name) => `${name} did not confirm the access. Please start again.`,
  provider_unavailable: (name) =>
    `${name} does not answer at the moment. Please start again in a few minutes.`,
  account_taken: (name) =>
    `This ${name} account is connected to another user. Log out of ${name} and start again with your own account.`,
  user_gone: () => 'The account that this link was made for does not exist any more.',
  unavailable: () => 'Something did not work on our side. Please start again in a few minutes.',
};

/** Redirects the browser to the application's address or to the result page. The address contains no secret. */
export function answerTo(
  { redirectUri, callbackUri }: { readonly redirectUri: string | null; readonly callbackUri: string },
  provider: string,
  outcome: Outcome,
): BrowserAnswer {
  const url = new URL(redirectUri ?? new URL('result', callbackUri));
  url.searchParams.set('status', outcome.status);
  if (redirectUri !== null) url.searchParams.set('provider', provider);
  if ('reason' in outcome) url.searchParams.set('reason', outcome.reason);
  return { kind: 'redirect', location: url.href };
}

/** The result page of an outcome. */
export function resultPage(
  name: string,
  status: ConnectStatus,
  reason: ConnectReason | undefined,
): BrowserAnswer {
  if (status === 'connected')
    return page(200, 'Connected', `${name} is connected. You can close this page and go back to the app.`);
  const fallback = status === 'denied' ? 'access_denied' : 'unavailable';
  return page(200, 'Not connected', sentences[reason ?? fallback](name));
}

/** The page for an unknown state, or for a state of another provider. */
export const unknownPage = page(
  400,
  'This link is not valid',
  'It was not made by this service, or it is incomplete. Nothing was changed. Please start again from the app.',
);

/** The page for a state that was used before. */
export const usedPage = page(
  410,
  'This link was used already',
  'It works once. Nothing was changed: whether your account is connected is shown in the app.',
);

function page(status: number, title: string, text: string): BrowserAnswer {
  return { kind: 'page', status, title, text };
}
