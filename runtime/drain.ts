import type { ServiceBroker } from 'moleculer';

type Drain = () => Promise<void>;

const drains = new WeakMap<ServiceBroker, Drain[]>();

/** Says what has to come to its end before the services of a broker stop: they are all still there meanwhile. */
export function onDrain(broker: ServiceBroker, drain: Drain): void {
  drains.set(broker, [...(drains.get(broker) ?? []), drain]);
}

/**
 * Makes a broker drain before it stops, whoever tells it to; told twice, it stops once. Moleculer has no hook that
 * early: it waits for calls in flight first, and a gateway would take new requests all that time.
 */
export function drainBeforeStop(broker: ServiceBroker): void {
  const stop = broker.stop.bind(broker);
  let stopped: Promise<void> | null = null;
  broker.stop = () => {
    stopped ??= Promise.all((drains.get(broker) ?? []).map((drain) => drain())).then(stop);
    return stopped;
  };
}
