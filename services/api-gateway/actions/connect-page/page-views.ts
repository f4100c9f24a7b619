import type { Language } from '../../../../contracts/connect/schemas.ts';
import type { ConnectChoice, SessionView } from '../../../../contracts/connect/sessions.ts';
import { type Html, html, isolated, nothing, sentence, withoutIsolates } from '../../rules/html.ts';
import { textField } from './languages.ts';
import { appMonogram, icon, providerMonogram } from './page-assets.ts';
import { filled, type Problem, type Texts } from './texts.ts';

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
export function documentOf({ texts, app, styleUrl, logoUrl }: Frame, view: View): string {
  const refresh =
    view.refreshUrl === undefined
      ? nothing
      : html`<meta http-equiv="refresh" content="0; url=${view.refreshUrl}">`;
  const name = html`${appMonogram(app)}<bdi>${app}</bdi>`;
  const brand = logoUrl === null ? name : html`<img src="${logoUrl}" alt="${app}">`;
  const favicon = logoUrl === null ? nothing : html`<link rel="icon" href="${logoUrl}">`;
  return html`<!doctype html>
<html lang="${texts.tag}" dir="${texts.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${titleOf(texts, view.title)} – ${app}</title>
<link rel="stylesheet" href="${styleUrl}">
${favicon}${refresh}
</head>
<body>
<div class="card">
<header>${brand}</header>
<main>
<div class="title">${view.mark ?? nothing}<h1>${sentence(view.title)}</h1></div>
${view.main}
</main>
</div>
</body>
</html>
`.text;
}

// A title has no elements: from right to left its names keep the control characters, otherwise it needs none.
function titleOf({ direction }: Texts, title: string): string {
  return direction === 'rtl' ? title : withoutIsolates(title);
}

/** The list of providers with their states. */
export function pickView(frame: Frame, session: SessionView): View {
  const { texts, app } = frame;
  const items = session.choices.map((choice) => itemOf(frame, choice));
  const list =
    items.length === 0
      ? html`<p class="lead">${texts.nothingOffered}</p>`
      : html`<p class="lead">${sentence(filled(texts.pickText, { app: isolated(app) }))}</p>
<ul class="choices">${items}</ul>`;
  return {
    title: texts.pickTitle,
    main: html`${noticeOf(frame, session)}
${list}
${endOf(frame, session)}`,
  };
}

const stateIcons = { none: 'ring', connected: 'done', expired: 'warning' } as const;

function itemOf({ texts, sessionUrl }: Frame, choice: ConnectChoice): Html {
  const { provider, name, state } = choice;
  const label = texts.choose[state];
  const kind = state === 'connected' ? 'button quiet' : 'button';
  return html`<li>${providerMonogram(choice)}<div><h2><bdi>${name}</bdi></h2>
<p class="chip ${state}">${icon(stateIcons[state])}<span>${texts.states[state]}</span></p></div>
<a class="${kind}" href="${sessionUrl}/${provider}" aria-label="${label}: ${name}">${label}</a></li>
`;
}

/** What is shared with the operator, and the button that agrees. */
export function consentView(
  frame: Frame,
  session: SessionView,
  choice: ConnectChoice,
  formToken: string,
): View {
  const { texts, language, sessionUrl } = frame;
  const isAlone = session.choices.length === 1;
  const provider = isolated(choice.name);
  return {
    title: filled(texts.consentTitle, { provider }),
    mark: providerMonogram(choice),
    main: html`${isAlone ? noticeOf(frame, session) : nothing}
${termsOf(frame, choice)}
<div class="actions">
<form method="post" action="${sessionUrl}/${choice.provider}">
<input type="hidden" name="form" value="${formToken}">
<input type="hidden" name="text" value="${textField(language)}">
${regionOf(frame, choice)}
<button class="button" type="submit"><span>${sentence(filled(texts.agree, { provider }))}</span></button>
</form>
${isAlone ? nothing : backLink(frame)}
</div>
${isAlone ? endOf(frame, session) : nothing}`,
  };
}

/** The choice of the region in which the account is. The browser asks for it: no region is a good guess. */
function regionOf({ texts }: Frame, { name, regions, region: connected }: ConnectChoice): Html {
  if (regions.length === 0) return nothing;
  const { question, choose, elsewhere } = texts.region;
  const countries = new Intl.DisplayNames([texts.tag], { type: 'region' });
  const options = regions.map(({ name: region, country }) => {
    const text = country === null ? elsewhere : (countries.of(country) ?? country);
    return region === connected
      ? html`<option value="${region}" selected>${text}</option>`
      : html`<option value="${region}">${text}</option>`;
  });
  return html`<label class="region"><span>${sentence(filled(question, { provider: isolated(name) }))}</span>
<select name="region" required><option value="">${choose}</option>${options}</select></label>`;
}

/** What is shared, what is not, for how long, and how it ends. */
function termsOf({ texts, app }: Frame, { name, shares }: ConnectChoice): Html {
  const names = { app: isolated(app), provider: isolated(name) };
  const shared = shares.map(
    (one) => html`<li>${icon(one)}<span>${texts.shares[one]}</span></li>
`,
  );
  return html`<p class="lead">${sentence(filled(texts.consentText, names))}</p>
<ul class="shares">${shared}</ul>
<ul class="terms">
<li>${icon('clock')}<span>${texts.consentPeriod}</span></li>
<li>${icon('lock')}<span>${sentence(filled(texts.notShared, names))}</span></li>
<li>${icon('exit')}<span>${sentence(filled(texts.consentRights, names))}</span></li>
</ul>`;
}

/** The page between the form and the provider: a redirect of the form itself would be bound to the page's own policy. */
export function leavingView({ texts }: Frame, name: string, url: string): View {
  const provider = isolated(name);
  return {
    title: filled(texts.leaving, { provider }),
    main: html`<p class="actions"><a class="button" href="${url}"><span>${sentence(filled(texts.follow, { provider }))}</span></a></p>`,
    refreshUrl: url,
  };
}

/** The code that the user types into the app, which has no consent page. */
export function codeView(frame: Frame, name: string, code: string): View {
  const { texts, app } = frame;
  return {
    title: filled(texts.codeTitle, { provider: isolated(name) }),
    main: html`<p class="lead">${sentence(filled(texts.codeText, { app: isolated(app) }))}</p>
<p dir="ltr" class="code">${code}</p>
<p class="actions">${backLink(frame)}</p>`,
  };
}

/** A refusal that says what to do. */
export function problemView({ texts, app }: Frame, problem: Problem, returnUrl: string | null): View {
  const { title, text } = texts.problems[problem];
  const mark = html`<span class="sign">${icon(problem === 'expired' ? 'clock' : 'warning')}</span>`;
  return { title, mark, main: html`<p class="lead">${text}</p>${linkBack(texts, app, returnUrl)}` };
}

// The outcome of an attempt replaces the reason of the link.
function noticeOf(frame: Frame, session: SessionView): Html {
  const { texts } = frame;
  const { last } = session;
  if (last === null) return reasonOf(frame, session);
  const { status, reason } = last;
  const provider = isolated(last.name);
  const fallback = status === 'denied' ? 'access_denied' : 'unavailable';
  return status === 'connected'
    ? html`<p class="notice good" role="status">${icon('done')}<span>${sentence(filled(texts.connected, { provider }))}</span></p>`
    : html`<p class="notice" role="status">${icon('warning')}<span>${sentence(filled(texts.failures[reason ?? fallback], { provider }))}</span></p>`;
}

// A provider that was connected again by another link is not named.
function reasonOf({ texts }: Frame, { choices, reason = null }: SessionView): Html {
  if (reason === null) return nothing;
  const isConcerned = ({ state }: ConnectChoice) =>
    state === 'expired' || (state === 'connected' ? reason === 'no_data' : choices.length === 1);
  const names = choices.filter(isConcerned).map(({ name }) => isolated(name));
  if (names.length === 0) return nothing;
  const providers = new Intl.ListFormat(texts.tag, { type: 'conjunction' }).format(names);
  return html`<p class="notice">${icon('warning')}<span>${sentence(filled(texts.reasons[reason], { providers }))}</span></p>`;
}

// After a success the way back is what the user came for.
function endOf({ texts, app }: Frame, { return_url, last }: SessionView): Html {
  if (return_url === null) return html`<p class="end">${texts.mayClose}</p>`;
  return linkBack(texts, app, return_url, last?.status === 'connected' ? 'button' : 'button quiet');
}

function backLink({ texts, sessionUrl }: Frame): Html {
  return html`<a class="button quiet" href="${sessionUrl}">${icon('back')}<span>${texts.back}</span></a>`;
}

function linkBack(texts: Texts, app: string, url: string | null, kind = 'button quiet'): Html {
  if (url === null) return nothing;
  const text = sentence(filled(texts.done, { app: isolated(app) }));
  return html`<p class="actions end"><a class="${kind}" href="${url}"><span>${text}</span></a></p>`;
}
