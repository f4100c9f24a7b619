import { z } from 'zod';
import { listed } from '../domain/plain-message.ts';
import type { Notifications } from '../domain/provider/notifications.ts';
import type { Provider } from '../domain/provider/provider.ts';
import type { Pull } from '../domain/provider/pulled-provider.ts';
import type { Region } from '../domain/provider/region.ts';
import { activitynet } from './activitynet/provider.ts';
import { concept2 } from './concept2/provider.ts';
import { devicemaker } from './devicemaker/provider.ts';
import { dexcom } from './dexcom/provider.ts';
import { file } from './file/provider.ts';
import { googlehealth } from './googlehealth/provider.ts';
import { intervals } from './intervals/provider.ts';
import { oura } from './oura/provider.ts';
import { loadOutside } from './outside/load.ts';
import { phone } from './phone/provider.ts';
import { polar } from './polar/provider.ts';
import { suunto } from './suunto/provider.ts';
import { ultrahuman } from './ultrahuman/provider.ts';
import { wahoo } from './wahoo/provider.ts';
import { whoop } from './whoop/provider.ts';
import { withings } from './withings/provider.ts';

/** The providers of the tree, one line each. The key is the provider's name in paths, settings and the database. */
const ofTree = {
  devicemaker,
  activitynet,
  // Its readings are preferred to copies of them in a phone.
  dexcom,
  phone,
  googlehealth,
  withings,
  whoop,
  oura,
  polar,
  suunto,
  ultrahuman,
  wahoo,
  concept2,
  file,
  intervals,
} as const;

/**
 * What PROVIDERS adds. It is loaded while this module is: before contracts, settings and services read the registry, in every process.
 */
export const outside = await loadOutside(process.env.PROVIDERS ?? '', Object.keys(ofTree));

/**
 * The registry of providers: those of the tree, and those of PROVIDERS. The type names the former only. The others have the type
 * `Provider` with `pull`, of which the shared code uses no more, and their names are checked at run time as the others are.
 */
export const providers: typeof ofTree = { ...ofTree, ...outside.providers };

/** A provider's name. */
export type ProviderName = keyof typeof providers;

/** Whether a string is a provider's name. */
export function isProviderName(name: string): name is ProviderName {
  return Object.hasOwn(providers, name);
}

/** The providers that have another name in Open Wearables, by that name. A provider of PROVIDERS with such a name keeps it. */
export const namesInOpenWearables: ReadonlyMap<string, ProviderName> = new Map<string, ProviderName>(
  (
    [
      ['garmin', 'devicemaker'],
      ['strava', 'activitynet'],
    ] as const
  ).filter(([name]) => !isProviderName(name)),
);

/** Narrows a string to a provider's name. @throws Error if it is none */
export function providerNamed(name: string): ProviderName {
  if (!isProviderName(name)) throw new Error(`no provider is named ${name}`);
  return name;
}

/** The names of all providers, in registry order. */
export const providerNames: readonly ProviderName[] = Object.keys(providers).filter(isProviderName);

/** The version of a provider's normalisers. */
export const normaliserVersionOf = (name: ProviderName): number => providers[name].normaliserVersion;

/** Whether a provider's kept deliveries contain data, so that they can be processed again. */
export function reprocesses(name: ProviderName): boolean {
  const { ingest }: Provider = providers[name];
  return ingest.reprocesses ?? false;
}

/** Whether most of a provider's data came from other providers. Rows may have a name that this version does not know. */
export function isAggregator(name: string): boolean {
  if (!isProviderName(name)) return false;
  const provider: Provider = providers[name];
  return provider.isAggregator === true;
}

/** The regions of a provider by their names. Empty: its accounts are not kept apart. */
export function regionsOf(name: ProviderName): Readonly<Record<string, Region>> {
  const { regions = {} }: Provider = providers[name];
  return regions;
}

/** The OAuth dialect of a provider. @throws Error if it has none */
export function oauthOf(name: ProviderName) {
  const { oauth } = providers[name];
  if (oauth === null) throw new Error(`${name} has no consent page`);
  return oauth;
}

const bare = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
const titled = providerNames.filter((name) => bare(providers[name].title) !== name);
const byTitle = new Map(providerNames.map((name) => [bare(providers[name].title), name]));

/** The name of the provider that a caller means by its name or by its title, in any spelling. Another text stays as it is. */
export const providerMeant = (text: string): string =>
  isProviderName(text) ? text : (byTitle.get(bare(text)) ?? text);

const shown = (name: ProviderName) => (titled.includes(name) ? `${name} (${providers[name].title})` : name);
const Name = z
  .enum(providerNames, {
    error: ({ input }) =>
      input === undefined ? undefined : `must be ${listed(providerNames.map(shown), 'or')}`,
  })
  .meta({
    id: 'Provider',
    description: `The provider. Requests may name it by its title too: ${titled.map((name) => `\`${bare(providers[name].title)}\` is \`${name}\``).join(', ')}.`,
    example: providerNames[0],
  });

/** Schema of a provider's name. Of a caller it takes the title too, wherever it stands; what it returns is the name. */
export const ProviderName = z.preprocess(
  (given: ProviderName) => (typeof given === 'string' ? providerMeant(given) : given),
  Name,
);

type Intersection<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void
  ? I
  : never;

/** The settings of all providers by name. */
export const providerSettings: Intersection<(typeof providers)[ProviderName]['settings']> = Object.assign(
  {},
  ...Object.values(providers).map(({ settings }) => settings),
);

/** An object with a value for each provider. */
export function byProvider<T>(choose: (name: ProviderName) => T): Readonly<Record<ProviderName, T>> {
  const values: Partial<Record<ProviderName, T>> = {};
  for (const name of providerNames) values[name] = choose(name);
  if (!isComplete(values)) throw new Error('a provider has no value');
  return values;
}

function isComplete<T>(values: Partial<Record<ProviderName, T>>): values is Record<ProviderName, T> {
  return providerNames.every((name) => Object.hasOwn(values, name));
}

/** The name of a provider whose data is read by service pull-ingest: after notifications, or by cadence. */
export type PulledName = {
  [N in ProviderName]: (typeof providers)[N] extends { readonly pull: Pull } ? N : never;
}[ProviderName];

/** Whether a provider's data is read by service pull-ingest. */
export function isPulled(name: ProviderName): name is PulledName {
  return 'pull' in providers[name];
}

/** The providers whose data is read by service pull-ingest. */
export const pulledNames: readonly PulledName[] = providerNames.filter(isPulled);

/** How a provider's data is read. */
export function pullOf(name: PulledName): Pull {
  const { pull }: Provider = providers[name];
  if (pull === undefined) throw new Error(`${name} sends its data itself`);
  return pull;
}

/** The name of a provider whose notifications name what changed. */
export type NotifyingName = {
  [N in PulledName]: (typeof providers)[N]['pull']['notifications'] extends Notifications ? N : never;
}[PulledName];

/** Whether a provider notifies of changes. The others are read by cadence alone. */
export function isNotifying(name: PulledName): name is NotifyingName {
  return pullOf(name).notifications !== null;
}

/** The providers that notify of changes. */
export const notifyingNames: readonly NotifyingName[] = pulledNames.filter(isNotifying);

/** The notifications of a provider. */
export function notificationsOf(name: NotifyingName): Notifications {
  const { notifications } = pullOf(name);
  if (notifications === null) throw new Error(`${name} has no notifications`);
  return notifications;
}
