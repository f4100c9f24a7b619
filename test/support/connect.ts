import type { Test } from 'tap';
import { z } from 'zod';
import { Connection } from '../../contracts/users/schemas.ts';
import type { Queryable } from '../../mixins/database/database.ts';
import { type Choice, consentTo } from '../services/connect/provider.ts';
import { type Answer, type Ask, joinApi, type TestApi } from './api.ts';
import { freshDatabase } from './servers/database.ts';

type ProviderName = 'devicemaker' | 'activitynet';

/** The same without its query. */
export const landedAt = 'https://app.example/connected';

const Link = z.strictObject({ authorization_url: z.string(), state: z.string() });

/** The redirect address of the tests' application, which needs no server. */
export const appUrl = 'https://app.example/connected?from=pulsebus';

/** The services that a connection concerns, with an application and the provider that the settings lead to. */
export async function startConnect(
  t: Test,
  provider: Readonly<Record<string, string>>,
  settings: Readonly<Record<string, string>> = {},
  more: readonly string[] = [],
): Promise<TestApi> {
  return joinApi(t, {
    database: await freshDatabase(t),
    services: [
      'api-gateway',
      'auth',
      'users',
      'timeseries',
      'connect',
      'backfill',
      'activitynet-ingest',
      'deliveries',
      ...more,
    ],
    settings: {
      RATE_LIMIT_ADDRESS: '100000',
      CONNECT_REDIRECTS: `https://other.example/, ${appUrl}`,
      ...provider,
      ...settings,
    },
  });
}

/** Asks for a link to the consent page. */
export async function linkFor(
  api: TestApi,
  userId: string,
  name: ProviderName,
  redirect: string | null = appUrl,
  credential: Ask = { key: api.apiKey },
): Promise<z.infer<typeof Link>> {
  const query = new URLSearchParams({
    user_id: userId,
    ...(redirect === null ? {} : { redirect_uri: redirect }),
  });
  const answer = await api.ask(`/api/v1/connect/${name}/authorize?${query}`, credential);
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  return Link.parse(answer.body);
}

/** Follows the provider's redirect, as the browser does. */
export function followRedirect(
  api: TestApi,
  url: URL,
  headers: Record<string, string> = { accept: 'text/html' },
): Promise<Answer> {
  return api.ask(`${url.pathname}${url.search}`, { headers });
}

/** The status of an answer, and where it leads a browser: the address and its parameters. */
export function landed(answer: Answer): Record<string, string> {
  const location = new URL(answer.headers.get('location') ?? 'none:');
  return {
    status: String(answer.status),
    at: location.origin + location.pathname,
    ...Object.fromEntries(location.searchParams),
  };
}

/** Runs the whole flow: link, consent, callback; returns the final address of the browser. */
export async function completeConnect(
  api: TestApi,
  userId: string,
  name: ProviderName,
  choice: Choice = {},
): Promise<Answer> {
  const { authorization_url } = await linkFor(api, userId, name);
  return followRedirect(api, await consentTo(authorization_url, choice));
}

/** A user's connections. */
export async function connectionsOf(api: TestApi, userId: string): Promise<Connection[]> {
  return z.array(Connection).parse(await api.expect(200, `/users/${userId}/connections`));
}

/** The jobs of a kind in jobs.job. */
export function jobsOf(database: Queryable, kind: string) {
  return database.query<{ payload: unknown; failures: number }>(
    'select payload, failures from jobs.job where kind = $1',
    [kind],
  );
}
