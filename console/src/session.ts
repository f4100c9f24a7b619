import { signal } from '@preact/signals';
import type { Developer } from '../../clients/typescript/src/index.ts';
import type { Titles } from '../../clients/typescript/src/source-text.ts';

/** The session of this browser: who is signed in, and the token that requests of these pages carry. */
export interface Session {
  readonly developer: Developer;
  readonly csrf_token: string;
  /** Whether a sandbox runs beside the service. */
  readonly sandbox: boolean;
  /** The names of providers that people read. */
  readonly provider_titles: Readonly<Record<string, Titles>>;
}

/** Undefined until the server has answered; null without a session. */
export const session = signal<Session | null | undefined>(undefined);

/** A sign-in that the server refused; `message` is its sentence. */
export class SignInError extends Error {}

/** Reads the session that the cookie of the browser stands for. */
export async function loadSession(): Promise<void> {
  const answer = await fetch('/console/session');
  const body: Session | { developer: null } = await answer.json();
  session.value = answer.ok && body.developer !== null ? body : null;
}

/** Signs in with a password. @throws SignInError */
export const signIn = (email: string, password: string) => start('/console/session', { email, password });

/** Signs in with the token of a link. @throws SignInError */
export const signInByLink = (token: string) => start('/console/session/link', { token });

async function start(path: string, body: object): Promise<void> {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const result: Session & { detail?: string } = await answer.json();
  if (!answer.ok) throw new SignInError(result.detail ?? 'The sign-in failed.');
  session.value = result;
}

/** Ends the session on the server. */
export async function signOut(): Promise<void> {
  const token = session.value?.csrf_token ?? '';
  await fetch('/console/session', { method: 'DELETE', headers: { 'X-CSRF-Token': token } });
  session.value = null;
}
