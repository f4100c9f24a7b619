import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from './clock.ts';
import type { Ask, Reply } from './http.ts';
import { redirect } from './http.ts';
import { type Choice, consentPage, problemPage } from './page.ts';
import { secret } from './store.ts';

/** What somebody allowed, until the application exchanges its code. */
export interface Consent {
  readonly person: number;
  readonly scope: readonly string[];
  readonly redirect_uri: string;
  /** Of PKCE; null where the provider does not ask for it. */
  readonly challenge: string | null;
  readonly ends_ms: number;
}

/** What sets one provider's consent apart. */
export interface ConsentDesk {
  readonly title: string;
  readonly client_id: () => string;
  readonly needsPkce: boolean;
  readonly redirectOrigins: readonly string[];
  readonly clock: Clock;
  /** The ticks of the form that belong to a request; all are set at first. */
  readonly scopes: (ask: Ask) => readonly Choice[];
  readonly people: () => readonly Choice[];
  /** Which person a choice of the form means; null for none. */
  readonly personOf: (choice: string) => number | null;
  /** What goes back beside code and state. */
  readonly extra: (scope: readonly string[]) => Readonly<Record<string, string>>;
}

const codeLivesMs = 10 * 60_000;
const pkceForm = /^[A-Za-z0-9_-]{43}$/;

/** The authorize endpoint of a provider and the codes that it gave out. */
export function openConsents(desk: ConsentDesk) {
  const codes = new Map<string, Consent>();
  return {
    /** GET: the page. */
    ask: (ask: Ask): Reply => {
      const problem = problemOf(desk, ask.query);
      if (problem !== null) return refuse(desk, problem);
      const missing = missingOf(desk, ask.query);
      if (missing !== null) return back(ask.query, { error: 'invalid_request', error_description: missing });
      const html = consentPage({
        title: desk.title,
        people: desk.people(),
        scopes: desk.scopes(ask),
        hidden: ask.query,
      });
      return { status: 200, html };
    },
    /** POST: the decision. */
    decide: (ask: Ask): Reply => {
      const { form } = ask;
      const problem = problemOf(desk, form) ?? missingOf(desk, form);
      if (problem !== null) return refuse(desk, problem);
      if (form.get('decision') !== 'allow') return back(form, { error: 'access_denied' });
      const person = desk.personOf(form.get('person') ?? '');
      if (person === null) return refuse(desk, 'Nobody was picked.');
      const known = desk.scopes(ask).map(({ value }) => value);
      const scope = form.getAll('permission').filter((one) => known.includes(one));
      const code = secret();
      codes.set(code, {
        person,
        scope,
        redirect_uri: form.get('redirect_uri') ?? '',
        challenge: form.get('code_challenge'),
        ends_ms: desk.clock.nowMs() + codeLivesMs,
      });
      return back(form, { code, ...desk.extra(scope) });
    },
    /** Takes a code out: it is good once. Null where it never was, ended, or was meant for somebody else. */
    take: (fields: URLSearchParams): Consent | null => {
      const code = fields.get('code') ?? '';
      const consent = codes.get(code);
      codes.delete(code);
      if (consent === undefined || consent.ends_ms <= desk.clock.nowMs()) return null;
      const uri = fields.get('redirect_uri');
      const isSameUri = uri === consent.redirect_uri || (uri === null && !desk.needsPkce);
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

// Whoever is not known to the provider is not sent back to: the page says so itself.
function problemOf(desk: ConsentDesk, fields: URLSearchParams): string | null {
  if (fields.get('client_id') !== desk.client_id()) return 'The client_id is not known.';
  const uri = URL.parse(fields.get('redirect_uri') ?? '');
  if (uri === null || !isAllowed(uri, desk.redirectOrigins)) return 'The redirect_uri is not allowed.';
  return null;
}

function missingOf(desk: ConsentDesk, fields: URLSearchParams): string | null {
  if (fields.get('response_type') !== 'code') return 'response_type must be code';
  if (!desk.needsPkce) return null;
  if (fields.get('code_challenge_method') !== 'S256') return 'code_challenge_method must be S256';
  return pkceForm.test(fields.get('code_challenge') ?? '') ? null : 'code_challenge is required';
}

function isAllowed({ hostname, protocol, origin }: URL, origins: readonly string[]): boolean {
  if (origins.includes(origin)) return true;
  return /^https?:$/.test(protocol) && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

function refuse({ title }: ConsentDesk, problem: string): Reply {
  return { status: 400, html: problemPage(title, problem) };
}

function back(fields: URLSearchParams, values: Readonly<Record<string, string>>): Reply {
  const url = new URL(fields.get('redirect_uri') ?? '');
  const state = fields.get('state');
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value);
  if (state !== null) url.searchParams.set('state', state);
  return redirect(url.href);
}
