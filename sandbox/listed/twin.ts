import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { HmacAuthentication } from '../../domain/provider/notifications.ts';
import type { OAuth } from '../../domain/provider/provider.ts';
import type { PullFailure } from '../../domain/provider/pulled-provider.ts';
import { isItem } from '../../domain/recipe/read-fields.ts';
import type { Client } from '../server/store.ts';
import { type Described, describedBy, eventOf, pathOf, playedRegions, type Twin } from './described.ts';
import { fileRoutes } from './files.ts';
import { clientIn, type ListedSpec, type ListedWorld, type SignedBody } from './listed.ts';
import { routesOf } from './routes.ts';
import { listedSimulation } from './simulation.ts';
import { subscriptionsOf } from './subscriptions.ts';
import { kindOf } from './twin-kind.ts';
import { fieldsWithoutExample } from './write-fields.ts';

/** The simulation of a provider, played from its description. @throws Error that names what of it cannot be played */
export function listedTwin<const N extends string>(twin: Twin<N>) {
  const described = describedBy(twin);
  const problems = problemsOf(described);
  if (problems.length > 0) throw new Error(`${twin.name} cannot be simulated: ${problems.join('; ')}`);
  return listedSimulation(specOf(described));
}

function specOf<N extends string>(twin: Described<N>): ListedSpec & { readonly name: N } {
  const { name, provider, oauth, collections, kinds = {}, scopes, defaults } = twin;
  return {
    name,
    title: provider.title,
    hasAccount: twin.hasAccount,
    scopes,
    needsPkce: oauth.usesPkce,
    clientAuthentication: oauth.clientAuthentication,
    kinds: Object.fromEntries(
      Object.entries(collections).map(([type, one]) => [type, kindOf(twin, one, kinds[type] ?? {})]),
    ),
    authorizePath: pathOf(oauth.authorizeUrl(defaults)),
    tokenPath: pathOf(oauth.tokenUrl(defaults)),
    regions: playedRegions(twin),
    revocation: provenRevocation(oauth, defaults),
    refresh: twin.tokensLast === true ? 'lasts' : 'rotates',
    accessToken: ({ id }, random) => twin.accessToken?.(id, random) ?? random,
    tokenFields: ({ id }) => (oauth.grant.from === 'token-answer' ? twin.account(id) : {}),
    settings: (base, client) => environmentOf(twin, base, client),
    eventOf: ({ id }, change) => eventOf(twin, id, change),
    sign: (world, body, ms) => signed(twin, world, body, ms),
    acceptedStatus: twin.notifications?.acceptedStatus ?? 200,
    webhookPath: twin.notifications === null ? null : `/${twin.notifications.kind}`,
    files: (world) => fileRoutes(twin, world),
    routes: (world) => routesOf(twin, world, settingsAt(twin, world)),
    subscribes: twin.pull.subscription?.of === 'application',
    subscriptions: (world) => subscriptionsOf(twin, world, settingsAt(twin, world)),
  };
}

/** The revocation that the client proves in its form. Others need the token of the account. */
function provenRevocation({ revocation }: OAuth, defaults: object): ListedSpec['revocation'] {
  if (revocation === null || !('url' in revocation) || revocation.sendsClientInForm !== true) return null;
  const { url, tokenField = 'access_token' } = revocation;
  return { path: pathOf(url(defaults, '')), tokenField };
}

/** The settings that point an application at the simulation: addresses have the paths of the defaults, and secrets are made. */
function environmentOf(twin: Described, base: string, client: Client): Readonly<Record<string, string>> {
  const { provider, names, defaults, settings: more } = twin;
  const regions = playedRegions(twin);
  const ofRegion = (setting: string) =>
    regions.find(({ settings }) => Object.values(settings).includes(setting)) ?? { prefix: '' };
  const given: Record<string, string> = {};
  for (const region of regions) {
    const { client_id, client_secret } = clientIn(client, region);
    given[region.settings[names.clientId] ?? names.clientId] = client_id;
    given[region.settings[names.clientSecret] ?? names.clientSecret] = client_secret;
  }
  const settings = Object.keys(provider.settings).flatMap((setting): [string, string][] => {
    const value = defaults[setting];
    if (setting === names.webhookSecrets || setting === names.webhookSenders) return [];
    if (typeof value === 'string' && URL.canParse(value))
      return [[setting, base + ofRegion(setting).prefix + pathOf(new URL(value))]];
    const own = createHmac('sha256', client.client_secret).update(setting).digest('base64url');
    return value === undefined ? [[setting, given[setting] ?? own]] : [];
  });
  return { ...Object.fromEntries(settings), ...more };
}

/** The settings of an application that uses the simulation. */
function settingsAt(twin: Described, { url, own }: Pick<ListedWorld, 'url' | 'own'>): object {
  return z.object(twin.provider.settings).parse(environmentOf(twin, `${url}/${twin.name}`, own.client));
}

/** A body with its proof as the description states it. */
function signed(twin: Described, world: ListedWorld, body: string, ms: number): SignedBody {
  if (twin.notifications === null) return { headers: {}, body };
  const { authentication } = twin.notifications;
  if (authentication.by === 'address') return { headers: {}, body };
  if (authentication.by === 'hmac')
    return { headers: signatureHeaders(twin, authentication, { world, body, ms }), body };
  const fields = jsonOrNull(body);
  const secret = authentication.secret(settingsAt(twin, world));
  return {
    headers: {},
    body: isItem(fields) ? JSON.stringify({ ...fields, [authentication.member]: secret }) : body,
  };
}

interface ToSign {
  readonly world: ListedWorld;
  readonly body: string;
  readonly ms: number;
}

function signatureHeaders(
  twin: Described,
  { header, timeHeader, encoding, secret }: HmacAuthentication,
  { world, body, ms }: ToSign,
): Record<string, string> {
  const key = secret === 'stored' ? world.own.secret : (secret(settingsAt(twin, world)) ?? '');
  const time = timeHeader === undefined ? '' : String(Math.floor(ms / 1000));
  const digest = createHmac('sha256', key).update(time).update(body).digest(encoding);
  const text = twin.signsInCapitals === true ? digest.toUpperCase() : digest;
  return { [header]: text, ...(timeHeader === undefined ? {} : { [timeHeader]: time }) };
}

/** The account with which a description is tried. */
const account = '10000001';

/** What of a description cannot be played, or would not be read back as it is sent. */
function problemsOf(twin: Described): string[] {
  const { collections, oauth, pull, notifications, kinds = {} } = twin;
  const { grant } = oauth;
  const access_token = twin.accessToken?.(account, 'random') ?? 'random';
  const named = { ...twin.account(account), access_token };
  const readBack =
    grant.from === 'token-answer' ? grant.readAccount(named) : grant.readAccount(JSON.stringify(named));
  return [
    ...(readBack === account ? [] : [`its account is read as ${readBack}`]),
    ...Object.entries(collections).flatMap(([type, { fields, read }]) => [
      ...fieldsWithoutExample(fields).map((path) => `${type} ${path} has a reader and no example`),
      ...(typeof read.records === 'function' && kinds[type]?.answer === undefined
        ? [`${type} has a function for its records`]
        : []),
      ...eventProblems(twin, type),
    ]),
    ...(notifications?.form === 'form' ? ['its notifications are forms'] : []),
    ...((notifications === null) === (twin.event === undefined)
      ? []
      : ['it has an event exactly if it has notifications']),
    ...(pull.subscription?.of === 'account' ? ['its subscriptions are of accounts'] : []),
    ...Object.keys(kinds).flatMap((type) => (type in collections ? [] : [`it has no ${type}`])),
    ...answers.flatMap(([status, kind]) => {
      // Only a record at a path of its own is missing.
      if (status === 404 && Object.values(collections).every(({ read }) => read.detail === undefined))
        return [];
      const headers: Record<string, string> = status === 429 ? { 'retry-after': '1' } : {};
      const failure = pull.failure({ status, headers, text: '{}' }, 0);
      return failure?.kind === kind ? [] : [`an answer ${status} is read as ${failure?.kind ?? 'a success'}`];
    }),
  ];
}

const answers: readonly (readonly [status: number, kind: PullFailure['kind']])[] = [
  [401, 'unauthorized'],
  [403, 'withheld'],
  [404, 'missing'],
  [429, 'limited'],
];

function eventProblems(twin: Described, type: string): string[] {
  const change = { kind: 'change', account, type, id: '1', operation: 'update', ms: 0 } as const;
  const event = eventOf(twin, account, change);
  if (event === null) return [];
  const hints = twin.notifications?.read(Buffer.from(JSON.stringify(event))) ?? [];
  const isNamed = hints.some(
    (one) => one.kind === 'changed' && one.account === account && one.types.includes(type),
  );
  return isNamed ? [] : [`its notification of ${type} does not name the account and the type`];
}
