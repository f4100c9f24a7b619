import type { ServiceBroker } from 'moleculer';

type Drain = () => Promise<void>;

const drains = new WeakMap<ServiceBroker, Drain[]>();

/** Registers work that must finish before the services of a broker stop. All services still run meanwhile. */
export function onDrain(broker: ServiceBroker, drain: Drain): void {
  drains.set(broker, [...(drains.get(broker) ?? []), drain]);
}

/**
 * Makes a broker drain before it stops. Repeated stops have no effect. Moleculer has no hook that is early enough: it
 * first waits for running calls, during which a gateway would accept new requests.
 */
export function drainBeforeStop(broker: ServiceBroker): void {
  const stop = broker.stop.bind(broker);
  let stopped: Promise<void> | null = null;
  broker.stop = () => {
    stopped ??= Promise.all((drains.get(broker) ?? []).map((drain) => drain())).then(stop);
    return stopped;
  };
}
