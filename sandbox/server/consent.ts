import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../simulation/clock.ts';
import type { HttpRequest, Reply } from './http.ts';
import { redirect } from './http.ts';
import { type Choice, consentPage, problemPage } from './page.ts';
import { secret } from './store.ts';

/** A user's consent, until the application exchanges its code. */
export interface Consent {
  readonly client_id: string;
  readonly user: number;
  readonly scope: readonly string[];
  readonly redirect_uri: string;
  /** The PKCE challenge; null if the provider does not use PKCE. */
  readonly challenge: string | null;
  readonly ends_ms: number;
}

/** What differs between the consent pages of providers. */
export interface ConsentSettings {
  readonly title: string;
  readonly client_id: () => string;
  /** Ids of further clients. */
  readonly otherClients?: readonly string[];
  readonly needsPkce: boolean;
  readonly redirectOrigins: readonly string[];
  readonly clock: Clock;
  /** The check boxes of the form; all are checked initially. */
  readonly scopes: (request: HttpRequest) => readonly Choice[];
  readonly users: () => readonly Choice[];
  /** The user that a choice of the form selects; null for none. */
  readonly userOf: (choice: string) => number | null;
  /** The lifetime of a code by the clock. Default: ten minutes. */
  readonly codeLivesMs?: () => number;
  /** Redirect parameters besides code and state. */
  readonly extra: (scope: readonly string[]) => Readonly<Record<string, string>>;
}

const usualCodeLivesMs = 10 * 60_000;
const pkceForm = /^[A-Za-z0-9_-]{43}$/;

/** The authorize endpoint of a provider and the codes that it issued. */
export function consentEndpoint(settings: ConsentSettings) {
  const codes = new Map<string, Consent>();
  return {
    /** GET: shows the page. */
    showPage: (request: HttpRequest): Reply => {
      const problem = problemOf(settings, request.query);
      if (problem !== null) return refuse(settings, problem);
      const missing = missingOf(settings, request.query);
      if (missing !== null)
        return back(request.query, { error: 'invalid_request', error_description: missing });
      const html = consentPage({
        title: settings.title,
        users: settings.users(),
        scopes: settings.scopes(request),
        hidden: request.query,
      });
      return { status: 200, html };
    },
    /** POST: handles the decision. */
    decide: (request: HttpRequest): Reply => {
      const { form } = request;
      const problem = problemOf(settings, form) ?? missingOf(settings, form);
      if (problem !== null) return refuse(settings, problem);
      if (form.get('decision') !== 'allow') return back(form, { error: 'access_denied' });
      const user = settings.userOf(form.get('person') ?? '');
      if (user === null) return refuse(settings, 'No user was selected.');
      const known = settings.scopes(request).map(({ value }) => value);
      const scope = form.getAll('permission').filter((one) => known.includes(one));
      const code = secret();
      codes.set(code, {
        client_id: form.get('client_id') ?? '',
        user,
        scope,
        redirect_uri: form.get('redirect_uri') ?? '',
        challenge: form.get('code_challenge'),
        ends_ms: settings.clock.nowMs() + (settings.codeLivesMs?.() ?? usualCodeLivesMs),
      });
      return back(form, { code, ...settings.extra(scope) });
    },
    /** Consumes a code, which is valid once. Null if it is unknown, expired, or was issued for another request. */
    take: (fields: URLSearchParams): Consent | null => {
      const code = fields.get('code') ?? '';
      const consent = codes.get(code);
      codes.delete(code);
      const client = fields.get('client_id') ?? consent?.client_id;
      if (consent === undefined || client !== consent.client_id || consent.ends_ms <= settings.clock.nowMs())
        return null;
      const uri = fields.get('redirect_uri');
      const isSameUri = uri === consent.redirect_uri || (uri === null && !settings.needsPkce);
      return isSameUri && isVerified(consent, fields.get('code_verifier')) ? consent : null;
    },
  };
}

function isVerified({ challenge }: Consent, verifier: string | null): boolean {
  if (challenge === null) return true;
  if (verifier === null || !/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return false;
  const given = createHash('sha256').update(verifier).digest('base64url');
  return timingSafeEqual(Buffer.from(given), Buffer.from(challenge));
}

// A redirect to an unknown application would be unsafe, so the page shows the error itself.
function problemOf(settings: ConsentSettings, fields: URLSearchParams): string | null {
  const clients = [settings.client_id(), ...(settings.otherClients ?? [])];
  if (!clients.includes(fields.get('client_id') ?? '')) return 'The client_id is not known.';
  const uri = URL.parse(fields.get('redirect_uri') ?? '');
  if (uri === null || !isAllowed(uri, settings.redirectOrigins)) return 'The redirect_uri is not allowed.';
  return null;
}

function missingOf(settings: ConsentSettings, fields: URLSearchParams): string | null {
  if (fields.get('response_type') !== 'code') return 'response_type must be code';
  if (!settings.needsPkce) return null;
  if (fields.get('code_challenge_method') !== 'S256') return 'code_challenge_method must be S256';
  return pkceForm.test(fields.get('code_challenge') ?? '') ? null : 'code_challenge is required';
}

function isAllowed({ hostname, protocol, origin }: URL, origins: readonly string[]): boolean {
  if (origins.includes(origin)) return true;
  return /^https?:$/.test(protocol) && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

function refuse({ title }: ConsentSettings, problem: string): Reply {
  return { status: 400, html: problemPage(title, problem) };
}

function back(fields: URLSearchParams, values: Readonly<Record<string, string>>): Reply {
  const url = new URL(fields.get('redirect_uri') ?? '');
  const state = fields.get('state');
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value);
  if (state !== null) url.searchParams.set('state', state);
  return redirect(url.href);
}
