import { computed, signal } from '@preact/signals';
import type { Developer, Project } from '../../clients/typescript/src/index.ts';
import type { Titles as Names } from '../../clients/typescript/src/source-text.ts';
import { holdsIn, isPermitted, type Permission } from '../../domain/access.ts';
import { embedScopes, embedToken, metaOf } from './embed.ts';

/** The names of a provider that people read, and its colour. */
interface Titles extends Names {
  readonly colour: string;
}

/** The session of this browser: who is signed in, and the token that requests of these pages carry. */
export interface Session {
  readonly developer: Developer;
  readonly csrf_token: string;
  /** Whether a sandbox runs beside the service. */
  readonly sandbox: boolean;
  /** The names of providers that people read, and their colours. */
  readonly provider_titles: Readonly<Record<string, Titles>>;
}

/** How one may sign in: with a password, and with the identity provider of this name. */
export interface Ways {
  readonly passwords: boolean;
  readonly oidc: string | null;
}

/** The ways of this installation. */
export const ways = signal<Ways>({ passwords: true, oidc: null });

/** Undefined until the server has answered; null without a session. */
export const session = signal<Session | null | undefined>(undefined);

/** A sign-in that the server refused; `message` is its sentence. */
export class SignInError extends Error {
  /** The password is right, and the account has an authenticator. */
  readonly needsCode: boolean;
  constructor(message: string, needsCode = false) {
    super(message);
    this.needsCode = needsCode;
  }
}

/** Reads the session that the cookie of the browser stands for. */
export async function loadSession(): Promise<void> {
  const answer = await fetch('/console/session');
  const body: (Session | { developer: null }) & { sign_in?: Ways } = await answer.json();
  if (body.sign_in !== undefined) ways.value = body.sign_in;
  await enter(answer.ok && body.developer !== null ? body : null);
}

const ofEmbed: Session['provider_titles'] = JSON.parse(metaOf('provider-titles') ?? '{}');

/** The names of a provider that people read, and its colour; undefined for one that the server does not name. */
export const titlesOf = (provider: string) => (session.value?.provider_titles ?? ofEmbed)[provider];

/** The projects that the developer may enter. */
export const projects = signal<readonly Project[]>([]);

/** Those of them that are not being deleted: the others refuse requests. */
export const openProjects = computed(() =>
  projects.value.filter(({ deleting_since }) => deleting_since === null),
);

/** The project that the pages show; undefined for a developer who is a member of none. */
export const project = signal<Project | undefined>(undefined);

async function enter(begun: Session | null): Promise<void> {
  if (begun !== null) await loadProjects(begun.csrf_token);
  session.value = begun;
}

/** Reads the projects again, after one was created. */
export async function loadProjects(csrf = session.value?.csrf_token ?? ''): Promise<void> {
  const answer = await fetch('/console/api/v1/projects', { headers: { 'X-CSRF-Token': csrf } });
  if (!answer.ok) throw new Error(`The projects could not be read: ${answer.status}`);
  const listed: readonly Project[] = await answer.json();
  projects.value = listed;
  const named = cookie.exec(document.cookie)?.[1];
  const open = openProjects.value;
  const of = (wanted: string | undefined) => open.find(({ id }) => id === wanted);
  project.value = of(named) ?? of('default') ?? open[0];
  if (project.value !== undefined && project.value.id !== named) nameProject(project.value.id);
}

const cookie = /(?:^|; )pulsebus_project=([a-z0-9-]+)/;

// Links to streams have no headers, so that the project is named by a cookie of the console's path.
function nameProject(id: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Safari before 18.4
  document.cookie = `pulsebus_project=${id}; Path=/console; SameSite=Strict; Max-Age=31536000`;
}

/** Shows another project: every page is read anew. */
export function changeProject(id: string): void {
  nameProject(id);
  window.location.assign('/console');
}

/** Whether the developer has a permission in the current project, or the token of an embedded page has it. Pages hide what the server would refuse. */
export function can(permission: Permission): boolean {
  if (embedToken !== null) return isPermitted({ kind: 'sdk', role: null, scopes: embedScopes }, permission);
  const { id = null, role = null } = project.value ?? {};
  const holder = { kind: 'developer', role, scopes: null } as const;
  return holdsIn(permission, id) && isPermitted(holder, permission);
}

/** Signs in with a password, and a code where the account has an authenticator. @throws SignInError */
export const signIn = (email: string, password: string, code = '') =>
  start('/console/session', { email, password, ...(code === '' ? {} : { code }) });

/** Signs in with the token of a link. @throws SignInError */
export const signInByLink = (token: string) => start('/console/session/link', { token });

/** What a browser needs to use a passkey. */
export interface PasskeyOptions {
  readonly challenge: string;
  readonly rpId: string;
}

/** Signs in with what a device answers to a challenge. @throws SignInError */
export async function startByPasskey(use: (options: PasskeyOptions) => Promise<object>): Promise<void> {
  const answer = await post('/console/session/passkey/begin', {});
  const options: PasskeyOptions & { detail?: string } = await answer.json();
  if (!answer.ok) throw new SignInError(options.detail ?? failed);
  await start('/console/session/passkey', { credential: await use(options) });
}

const failed = 'The sign-in failed.';
const post = (path: string, body: object) =>
  fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

async function start(path: string, body: object): Promise<void> {
  const answer = await post(path, body);
  const result: Session & { detail?: string } = await answer.json();
  const needsCode = answer.headers.get('X-Error-Code') === 'SECOND_FACTOR_REQUIRED';
  if (!answer.ok) throw new SignInError(result.detail ?? failed, needsCode);
  await enter(result);
}

/** Ends the session on the server. */
export async function signOut(): Promise<void> {
  const token = session.value?.csrf_token ?? '';
  await fetch('/console/session', { method: 'DELETE', headers: { 'X-CSRF-Token': token } });
  session.value = null;
}
