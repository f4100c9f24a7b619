import type { CallingOptions } from 'moleculer';
import { actionsOn } from '../contracts/all.ts';
import type { Lifecycle } from '../domain/contract.ts';
import type { ProviderName } from '../providers/all.ts';
import { type Call, callByName } from './environment.ts';

/** A lifecycle event with its parameters. */
export interface Happened<E extends keyof Lifecycle> {
  readonly event: E;
  readonly params: Lifecycle<ProviderName>[E];
  /** The provider of the connection. Services of other providers are not called. */
  readonly provider?: ProviderName;
}

/** Calls every service that declares an event, in parallel. Resolves with an outcome for each. */
export function callOn<E extends keyof Lifecycle>(
  call: Call,
  { event, params, provider }: Happened<E>,
  options: CallingOptions,
): Promise<PromiseSettledResult<unknown>[]> {
  const names = actionsOn(event, provider);
  return Promise.allSettled(names.map((name) => callByName(call, name, params, options)));
}

/** Calls every service that declares an event, one after the other in the order of the contracts. @throws the first failure */
export async function callInOrder<E extends keyof Lifecycle>(
  call: Call,
  { event, params, provider }: Happened<E>,
  options: CallingOptions,
): Promise<void> {
  for (const name of actionsOn(event, provider)) await callByName(call, name, params, options);
}
