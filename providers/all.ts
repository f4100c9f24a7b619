import { z } from 'zod';
import { activitynet } from './activitynet/provider.ts';
import { devicemaker } from './devicemaker/provider.ts';
import { phone } from './phone/provider.ts';

/** The registry of providers, one line each. The key is the provider's name in paths, settings and the database. */
export const providers = { devicemaker, activitynet, phone } as const;

/** A provider's name. */
export type ProviderName = keyof typeof providers;

/** Whether a string is a provider's name. */
export function isProviderName(name: string): name is ProviderName {
  return Object.hasOwn(providers, name);
}

/** Narrows a string to a provider's name. @throws Error if it is none */
export function providerNamed(name: string): ProviderName {
  if (!isProviderName(name)) throw new Error(`no provider is named ${name}`);
  return name;
}

/** The names of all providers, in registry order. */
export const providerNames: readonly ProviderName[] = Object.keys(providers).filter(isProviderName);

/** The OAuth dialect of a provider. @throws Error if it has none */
export function oauthOf(name: ProviderName) {
  const { oauth } = providers[name];
  if (oauth === null) throw new Error(`${name} has no consent page`);
  return oauth;
}

/** Schema of a provider's name, as in paths and in the database. */
export const ProviderName = z
  .enum(providerNames)
  .meta({ id: 'Provider', description: 'The provider.', example: providerNames[0] });

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
