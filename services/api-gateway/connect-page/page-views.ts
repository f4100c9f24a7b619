import type { Language } from '../../../contracts/connect/schemas.ts';
import type { ConnectChoice, SessionView } from '../../../contracts/connect/sessions.ts';
import { monogramOf } from '../../../domain/provider/monogram.ts';
import { textField } from './consent-text.ts';
import { type Html, html, nothing } from './html.ts';
import type { Problem, Texts } from './texts.ts';

/** What all views have: texts, the operator, and the addresses of the page. */
export interface Frame {
  readonly texts: Texts;
  readonly language: Language;
  readonly app: string;
  /** The address of the session's page. */
  readonly sessionUrl: string;
  readonly styleUrl: string;
  readonly logoUrl: string | null;
}

/** One page: its title and content, and the address to which the browser goes on by itself. */
export interface View {
  readonly title: string;
  /** Stands before the title. */
  readonly mark?: Html;
  readonly main: Html;
  readonly refreshUrl?: string;
}

/** A whole document. */
export function documentOf({ language, app, styleUrl, logoUrl }: Frame, view: View): string {
  const refresh =
    view.refreshUrl === undefined
      ? nothing
      : html`<meta http-equiv="refresh" content="0; url=${view.refreshUrl}">`;
  const logo = logoUrl === null ? html`<span>${app}</span>` : html`<img src="${logoUrl}" alt="${app}">`;
  const icon = logoUrl === null ? nothing : html`<link rel="icon" href="${logoUrl}">`;
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${view.title} – ${app}</title>
<link rel="stylesheet" href="${styleUrl}">
${icon}${refresh}
</head>
<body>
<header>${logo}</header>
<main>
<h1>${view.mark ?? nothing}${view.title}</h1>
${view.main}
</main>
</body>
</html>
`.text;
}

/** The list of providers with their states. */
export function pickView(frame: Frame, session: SessionView): View {
  const { texts, app } = frame;
  const items = session.choices.map((choice) => itemOf(frame, choice));
  const list =
    items.length === 0
      ? html`<p>${texts.nothingOffered}</p>`
      : html`<p>${texts.pickText(app)}</p>
<ul class="choices">${items}</ul>`;
  return {
    title: texts.pickTitle,
    main: html`${noticeOf(frame, session)}
${list}
${endOf(frame, session)}`,
  };
}

// The colour is an attribute, because the policy of the page refuses styles in it.
function monogram({ name, colour }: ConnectChoice): Html {
  if (colour === undefined) return nothing;
  return html`<svg class="monogram" viewBox="0 0 40 40" aria-hidden="true"><rect width="40" height="40" rx="10" fill="${colour}"/><text x="20" y="20">${monogramOf(name)}</text></svg>`;
}

function itemOf({ texts, sessionUrl }: Frame, choice: ConnectChoice): Html {
  const { provider, name, state } = choice;
  const quiet = state === 'connected' ? 'button quiet' : 'button';
  return html`<li>${monogram(choice)}<div><h2>${name}</h2><p class="${state}">${texts.states[state]}</p></div>
<a class="${quiet}" href="${sessionUrl}/${provider}" aria-label="${texts.choose[state]}: ${name}">${texts.choose[state]}</a></li>
`;
}

/** What is shared with the operator, and the button that agrees. */
export function consentView(
  frame: Frame,
  session: SessionView,
  choice: ConnectChoice,
  formToken: string,
): View {
  const { provider, name, shares } = choice;
  const { texts, app, language, sessionUrl } = frame;
  const isAlone = session.choices.length === 1;
  const back = isAlone ? nothing : html`<a class="button quiet" href="${sessionUrl}">${texts.back}</a>`;
  return {
    title: texts.consentTitle(name),
    mark: monogram(choice),
    main: html`${isAlone ? noticeOf(frame, session) : nothing}
<p>${texts.consentText(app, name)}</p>
<ul>${shares.map((one) => html`<li>${texts.shares[one]}</li>`)}</ul>
<p>${texts.consentRights(app, name)}</p>
<div class="actions">
<form method="post" action="${sessionUrl}/${provider}">
<input type="hidden" name="form" value="${formToken}">
<input type="hidden" name="text" value="${textField(language)}">
<button class="button" type="submit">${texts.agree(name)}</button>
</form>
${back}
</div>
${isAlone ? endOf(frame, session) : nothing}`,
  };
}

/** The page between the form and the provider: a redirect of the form itself would be bound to the page's own policy. */
export function leavingView({ texts }: Frame, name: string, url: string): View {
  return {
    title: texts.leaving(name),
    main: html`<p><a class="button" href="${url}">${texts.follow(name)}</a></p>`,
    refreshUrl: url,
  };
}

/** The code that the user types into the app, which has no consent page. */
export function codeView({ texts, app, sessionUrl }: Frame, name: string, code: string): View {
  return {
    title: texts.codeTitle(name),
    main: html`<p>${texts.codeText(app)}</p>
<p class="code">${code}</p>
<p class="actions"><a class="button quiet" href="${sessionUrl}">${texts.back}</a></p>`,
  };
}

/** A refusal that says what to do. */
export function problemView({ texts, app }: Frame, problem: Problem, returnUrl: string | null): View {
  const { title, text } = texts.problems[problem];
  return { title, main: html`<p>${text}</p>${linkBack(texts, app, returnUrl)}` };
}

// The outcome of an attempt replaces the reason of the link.
function noticeOf(frame: Frame, session: SessionView): Html {
  const { texts } = frame;
  const { last } = session;
  if (last === null) return reasonOf(frame, session);
  const { name, status, reason } = last;
  if (status === 'connected') return html`<p class="notice good" role="status">${texts.connected(name)}</p>`;
  const fallback = status === 'denied' ? 'access_denied' : 'unavailable';
  return html`<p class="notice" role="status">${texts.failures[reason ?? fallback](name)}</p>`;
}

// A provider that was connected again by another link is not named.
function reasonOf({ texts, language }: Frame, { choices, reason = null }: SessionView): Html {
  if (reason === null) return nothing;
  const isConcerned = ({ state }: ConnectChoice) =>
    state === 'expired' || (state === 'connected' ? reason === 'no_data' : choices.length === 1);
  const names = choices.filter(isConcerned).map(({ name }) => name);
  if (names.length === 0) return nothing;
  const providers = new Intl.ListFormat(language, { type: 'conjunction' }).format(names);
  return html`<p class="notice">${texts.reasons[reason](providers)}</p>`;
}

function endOf({ texts, app }: Frame, { return_url }: SessionView): Html {
  return return_url === null ? html`<p>${texts.mayClose}</p>` : linkBack(texts, app, return_url);
}

function linkBack(texts: Texts, app: string, url: string | null): Html {
  return url === null
    ? nothing
    : html`<p class="actions"><a class="button quiet" href="${url}">${texts.done(app)}</a></p>`;
}
