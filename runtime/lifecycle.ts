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
