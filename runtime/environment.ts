import type { CallingOptions, Logger, ServiceBroker } from 'moleculer';
import type { Config } from '../config.ts';
import { type Actions, actionsByName } from '../contracts/all.ts';
import type { Caller } from '../contracts/auth.ts';

/** What travels with a chain of calls: who started it. Null where a service acts by itself, or at the REPL. */
export interface Meta {
  caller?: Caller | null;
  /** Who acts where there is no caller, as audit entries name them: `webhook:{provider}`. */
  actor?: string;
  /** The network address of whoever shows a credential without being logged in: failures are counted by it. */
  address?: string;
  /** Where the gateway that took the request listens; never what its Host header says. */
  gateway_url?: string;
}

/** Calls an action of any service by name; parameters and result are typed by the callee's contract. */
export type Call = <N extends keyof Actions>(
  name: N,
  params: Actions[N]['params'],
  options?: CallingOptions,
) => Promise<Actions[N]['returns']>;

/** What a resource or a service finds when it starts. */
export interface Environment {
  readonly config: Config;
  readonly broker: ServiceBroker;
  readonly logger: Logger;
  readonly call: Call;
}

/**
 * What a service mixes in: a pool, an inbox, a worker. `implement` makes a Moleculer mixin of it, whose `started` makes
 * the value and whose `stopped` releases it.
 */
export interface Mixin<T> {
  start(environment: Environment): Promise<T>;
  stop(value: T): Promise<void>;
}

const configs = new WeakMap<ServiceBroker, Config>();

/** Gives a broker its settings. Broker metadata would be the obvious place, but it is sent to every node. */
export function provideConfig(broker: ServiceBroker, config: Config): void {
  configs.set(broker, config);
}

/** The settings of a broker. @throws when nobody provided them. */
export function configOf(broker: ServiceBroker): Config {
  const config = configs.get(broker);
  if (config === undefined) throw new Error('this broker was started without settings');
  return config;
}

/** Time-out and retries of an action, from its contract: only what may run twice is tried again. */
export function callingOptions(name: string): CallingOptions {
  const definition = actionsByName.get(name);
  return { timeout: definition?.timeoutMs ?? 5000, retries: definition?.idempotent ? 2 : 0 };
}

/** Calls that go on with a request that came in before, by its id. */
export function callWithin(broker: ServiceBroker, requestID: string): Call {
  return typedCall({
    call: (name, params, options) => broker.call(name, params, { requestID, ...options }),
  });
}

/** Calls an action whose name is only known when it runs: its contract states that it takes these parameters. */
export function callByName(
  call: Call,
  name: string,
  params: unknown,
  options?: CallingOptions,
): Promise<unknown> {
  const byName: (name: string, params: unknown, options?: CallingOptions) => Promise<unknown> = call as never;
  return byName(name, params, options);
}

/** Calls on behalf of somebody who has no credential, as audit entries name them: `webhook:{provider}`. */
export function callAs(call: Call, actor: string): Call {
  return (name, params, options) => call(name, params, { ...options, meta: { ...options?.meta, actor } });
}

interface Caller_ {
  call(name: string, params: unknown, options?: CallingOptions): Promise<unknown>;
}

/** Makes a typed `call` of a broker or a context. */
export function typedCall(through: Caller_): Call {
  // The one place where the bus, which knows no types, meets the contracts: results were validated by the
  // callee's types, and a test with validation of answers switched on holds them to it.
  const call = (name: string, params: unknown, options?: CallingOptions) =>
    through.call(name, params, { ...callingOptions(name), ...options });
  return call as Call;
}
