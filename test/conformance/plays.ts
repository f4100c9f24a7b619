import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultKind } from '../../sandbox/server/faults.ts';
import { until } from '../support/until.ts';
import { type Product, settled, simulationOf, strike, untilIdle } from './product.ts';
import type { Account, Descriptor, Disturbance, RateLimit } from './scenarios.ts';

const quarterMs = 15 * 60_000;
const mostRounds = 8;

/** What the plays of a simulated provider use. */
export interface Playing {
  readonly provider: string;
  readonly newData: Descriptor['newData'];
  /** Makes postponed work due, as time does. */
  hurry(product: Product): Promise<unknown>;
}

interface FaultChoice {
  readonly kind: FaultKind;
  readonly probability?: number;
  readonly spreadSeconds?: number;
  /** Repairs what the fault left. */
  readonly repair?: (product: Product, account: Account) => Promise<unknown>;
}

/** New data under a fault. Delayed notifications arrive before it ends. */
export function underFault({ provider, newData }: Playing, choice: FaultChoice): Disturbance {
  const { kind, spreadSeconds = 60, repair } = choice;
  return {
    async play(product, account) {
      const { fault, end } = strike(product, provider, kind, choice);
      await newData(product, account);
      end();
      await passQuarters(product, Math.ceil((spreadSeconds * 1000) / quarterMs));
      await settled(product);
      await repair?.(product, account);
      return fault.hits;
    },
  };
}

/** The provider answers with errors, some of them cut off, while it is read. */
export function underErrors(playing: Playing): Disturbance {
  const { provider, newData, hurry } = playing;
  return {
    async play(product, account) {
      const error = strike(product, provider, 'error', { probability: 0.5 });
      const lost = strike(product, provider, 'lost', { probability: 0.3 });
      // A provider that is rarely read may answer well by chance.
      for (let round = 0; round < mostRounds && error.fault.hits === 0; round++)
        await newData(product, account);
      await until(() => error.fault.hits > 0);
      error.end();
      lost.end();
      await hurry(product);
      await underOutage(playing, product, account);
      return error.fault.hits;
    },
  };
}

/** Work that fails pauses for up to two seconds at first, so that few requests are sent while nothing is answered. */
const outage = { ms: 3000, mostRequests: 100 } as const;

/** The provider answers each request with an error for a while. @throws where the product does not pause */
async function underOutage(
  { newData, provider, hurry }: Playing,
  product: Product,
  account: Account,
): Promise<void> {
  const { fault, end } = strike(product, provider, 'error');
  await newData(product, account);
  await sleep(outage.ms);
  end();
  if (fault.hits > outage.mostRequests) throw new Error(`${fault.hits} requests while nothing is answered`);
  await hurry(product);
}

/** The provider refuses everything with 429 until all work waits; then its pause is over. */
export function underLimit(playing: Playing, mostRequests: number): RateLimit {
  const { provider, newData, hurry } = playing;
  return {
    mostRequests,
    async play(product, account) {
      const { fault, end } = strike(product, provider, 'rate_limit');
      for (let round = 0; round < 2; round++) {
        await newData(product, account);
        await until(() => fault.hits > 0);
        await untilIdle(product, () => fault.hits > mostRequests);
      }
      const { hits } = fault;
      end();
      await hurry(product);
      return hits;
    },
  };
}

/** Leaves work in the queues: the provider refuses what the product would read. */
export function queueWork({ provider, newData }: Playing) {
  return async (product: Product, account: Account): Promise<void> => {
    const { fault, end } = strike(product, provider, 'rate_limit');
    await newData(product, account);
    await until(() => fault.hits > 0);
    await untilIdle(product);
    end();
  };
}

/** All access tokens end early, `times` times. Each time new data is read with renewed ones. */
export function underExpiry(
  { provider, newData }: Pick<Playing, 'provider' | 'newData'>,
  times: number,
): Disturbance {
  return {
    async play(product, account) {
      let renewed = 0;
      for (let time = 0; time < times; time++) {
        const ended = expireTokens(product, provider);
        await newData(product, account);
        await until(() => validTokens(product, provider).some((token) => !ended.has(token)));
        await settled(product);
        renewed += 1;
      }
      return renewed;
    },
  };
}

function expireTokens(product: Product, provider: string): Set<string> {
  const ended = new Set<string>();
  for (const { grants } of simulationOf(product, provider).tokenHolders())
    for (const grant of grants) {
      grant.access_ends_ms = 0;
      ended.add(grant.access_token);
    }
  return ended;
}

function validTokens(product: Product, provider: string): string[] {
  const nowMs = product.sandbox.world.clock.nowMs();
  return simulationOf(product, provider)
    .tokenHolders()
    .flatMap(({ grants }) => grants.filter((one) => one.access_ends_ms > nowMs))
    .map(({ access_token }) => access_token);
}

/**
 * Lets the clock of the providers pass quarters of an hour, in each of which new data is sent. The product works in between,
 * so that fresh tokens are used before they end by this clock.
 */
export async function passQuarters(product: Product, quarters: number): Promise<void> {
  for (let quarter = 0; quarter < quarters; quarter++) {
    await product.sandbox.advance(quarterMs);
    await untilIdle(product);
  }
}
