import type { Language } from '../../contracts/connect/schemas.ts';
import type { ConnectChoice, SessionView } from '../../contracts/connect/sessions.ts';
import { providerNames, providers } from '../../providers/all.ts';
import { textsOf } from '../../services/api-gateway/actions/connect-page/languages.ts';
import {
  codeView,
  consentView,
  documentOf,
  type Frame,
  leavingView,
  pickView,
  problemView,
  type View,
} from '../../services/api-gateway/actions/connect-page/page-views.ts';

const returnUrl = 'https://app.example/';

/** Every provider, in each state in turn; the last one shares the most. */
const everyChoice: readonly ConnectChoice[] = providerNames.map((provider, index) => {
  const { title, colour, shares } = providers[provider];
  const state = (['none', 'connected', 'expired'] as const)[index % 3] ?? 'none';
  return { provider, name: title, colour, state, shares: [...shares], regions: [], region: null };
});

const [first] = everyChoice;
if (first === undefined) throw new Error('no provider');
const all = [...new Set(everyChoice.flatMap(({ shares }) => shares))];
const alone: ConnectChoice = { ...first, state: 'none', shares: all };
const ofRegions: ConnectChoice = {
  ...alone,
  regions: [
    { name: 'us', country: 'US' },
    { name: 'eu', country: null },
  ],
};
const session = (choices: readonly ConnectChoice[], more: Partial<SessionView> = {}): SessionView => ({
  kind: 'session',
  language: null,
  app: null,
  colour: null,
  logo: null,
  last: null,
  reason: null,
  return_url: returnUrl,
  choices: [...choices],
  ...more,
});
const last = (status: 'connected' | 'failed', reason: 'account_taken' | null) => ({
  last: { name: alone.name, status, reason },
});

/** The views of the page by name, in a language. */
export function viewsOf(language: Language): Readonly<Record<string, string>> {
  const frame = frameOf(language);
  const views: Readonly<Record<string, View>> = {
    pick: pickView(frame, session([alone, ...everyChoice.slice(3, 4)])),
    'pick-all': pickView(frame, session(everyChoice, { reason: 'no_data' })),
    'pick-none': pickView(frame, session([], { return_url: null })),
    consent: consentView(frame, session(everyChoice), alone, 'token'),
    'consent-alone': consentView(frame, session([alone], { reason: 'access_ended' }), alone, 'token'),
    'consent-region': consentView(frame, session([ofRegions]), ofRegions, 'token'),
    connected: pickView(
      frame,
      session([{ ...alone, state: 'connected' }, ...everyChoice.slice(1, 2)], last('connected', null)),
    ),
    expired: pickView(frame, session([{ ...alone, state: 'expired' }], { reason: 'access_ended' })),
    failed: pickView(frame, session([alone], last('failed', 'account_taken'))),
    problem: problemView(frame, 'foreign', returnUrl),
    code: codeView(frame, 'Apple Health', 'K7M2P9QX'),
    leaving: leavingView(frame, alone.name, 'https://provider.example/'),
  };
  return Object.fromEntries(Object.entries(views).map(([name, view]) => [name, documentOf(frame, view)]));
}

function frameOf(language: Language): Frame {
  return {
    ...{ texts: textsOf(language), language, app: 'Example Health', sessionUrl: '/connect/session/1' },
    ...{ styleUrl: '/style.css', logoUrl: null },
  };
}

/** Names in the text of a view that are outside of a `<bdi>` element. */
export function isolationProblems(name: string, view: string): string[] {
  const body = view
    .slice(view.indexOf('<body>'))
    .replace(/<bdi>[^<]*<\/bdi>/g, '')
    .replace(/<[^>]*>/g, '\n');
  const names = ['Example Health', 'Apple Health', ...everyChoice.map((choice) => choice.name)];
  return names.filter((one) => body.includes(one)).map((one) => `${name}: ${one}`);
}
