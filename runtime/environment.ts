import type { CallingOptions, Logger, ServiceBroker } from 'moleculer';
import type { Config } from '../config.ts';
import { type Actions, actionsByName } from '../contracts/all.ts';
import type { Caller } from '../contracts/auth/schemas.ts';
import { callsOf } from '../contracts/calls.ts';

/** The hashes of a browser's secrets, by session of the connect page. */
export type Browsers = Readonly<Record<string, string>>;

/** Metadata of a chain of calls: its caller. Null if a service acts by itself, or at the REPL. */
export interface Meta {
  caller?: Caller | null;
  /** The actor for audit entries if there is no caller: `webhook:{provider}`. */
  actor?: string;
  /**
   * The network address of a client that presents a credential without being logged in. Failed attempts are counted per
   * address.
   */
  address?: string;
  /** A hash of the network address and the user agent of such a client. */
  client?: string;
  /** The address of the gateway that received the request. Never taken from the Host header. */
  gateway_url?: string;
  /** The sessions of the connect page that the browser has. */
  browsers?: Browsers;
}

/** Calls an action of any service by name. Parameters and result are typed by the callee's contract. */
export type Call = <N extends keyof Actions>(
  name: N,
  params: Actions[N]['params'],
  options?: CallingOptions,
) => Promise<Actions[N]['returns']>;

/** What a mixin or a service gets when it starts. */
export interface Environment {
  readonly config: Config;
  readonly broker: ServiceBroker;
  readonly logger: Logger;
  readonly call: Call;
}

/** What a mixin gets when its service starts. */
export interface Starting extends Environment {
  /** Runs `release` when the service has stopped. What was made last is released first. */
  onStop(release: () => void | Promise<void>): void;
}

/** Makes what a service uses (a pool, an inbox, a worker) when the service starts. A mixin may call others. */
export type Mixin<T> = (starting: Starting) => T | Promise<T>;

const configs = new WeakMap<ServiceBroker, Config>();

/** Stores the settings of a broker. They are not in the broker's metadata, because metadata is sent to every node. */
export function provideConfig(broker: ServiceBroker, config: Config): void {
  configs.set(broker, config);
}

/** The settings of a broker. @throws if none were provided */
export function configOf(broker: ServiceBroker): Config {
  const config = configs.get(broker);
  if (config === undefined) throw new Error('this broker was started without settings');
  return config;
}

/** Timeout and retries of an action, from its contract. Only idempotent actions are retried. */
export function callingOptions(name: string): CallingOptions {
  return optionsByName.get(name) ?? { timeout: 5000, retries: 0 };
}

const optionsByName = new Map(
  [...actionsByName].map(([name, { http, timeoutMs = 5000, idempotent = http?.method === 'GET' }]) => [
    name,
    { timeout: timeoutMs, retries: idempotent ? 2 : 0 },
  ]),
);

/** Calls with the id of an earlier request. */
export function callWithin(broker: ServiceBroker, requestID: string): Call {
  return typedCall({
    call: (name, params, options) => broker.call(name, params, { requestID, ...options }),
  });
}

/** Calls an action whose name is only known at run time. Its contract guarantees these parameters. */
export function callByName(
  call: Call,
  name: string,
  params: unknown,
  options?: CallingOptions,
): Promise<unknown> {
  const byName: (name: string, params: unknown, options?: CallingOptions) => Promise<unknown> = call as never;
  return byName(name, params, options);
}

/** Calls without a credential, with an actor for audit entries: `webhook:{provider}`. */
export function callAs(call: Call, actor: string): Call {
  return (name, params, options) => call(name, params, { ...options, meta: { ...options?.meta, actor } });
}

interface Caller_ {
  call(name: string, params: unknown, options?: CallingOptions): Promise<unknown>;
}

/** Makes a typed `call` from a broker or a context. `service` may call its own actions and those that it declares. */
export function typedCall(through: Caller_, service?: string): Call {
  const allowed = service === undefined ? null : callsOf(service);
  // The only cast between the untyped bus and the contracts. Results have the callee's types, and a test checks answers
  // against their contracts.
  const call = (name: string, params: unknown, options?: CallingOptions) =>
    allowed === null || allowed.has(name) || name.startsWith(`${service}.`)
      ? through.call(name, params, { ...callingOptions(name), ...options })
      : Promise.reject(new Error(`${service} does not declare the call of ${name} (npm run generate)`));
  return call as Call;
}
