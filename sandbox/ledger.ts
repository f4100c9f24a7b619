import { accountOf } from './devicemaker/accounts.ts';
import { type ActivitynetTruth, activitynetTruth } from './truth/activitynet.ts';
import { type DevicemakerTruth, devicemakerTruth } from './truth/devicemaker.ts';
import type { World } from './world.ts';

/** What an application should have of somebody, and what is still on its way. */
export interface Ledger {
  readonly person: number;
  readonly title: string;
  readonly now: string;
  /** Notifications that wait to be sent or sent again; of everybody. */
  readonly waiting: number;
  readonly counts: World['store']['book']['counts'];
  readonly devicemaker: DevicemakerTruth | null;
  readonly activitynet: ActivitynetTruth | null;
}

/** The truth about one person: what an application that lost nothing and doubled nothing has stored. */
export function ledgerOf(world: World, index: number): Ledger {
  const { book } = world.store;
  const person = world.person(index);
  const device = accountOf(world, person.account_id);
  const athlete = book.activitynet_accounts.find((one) => one.person === index);
  return {
    person: index + 1,
    title: person.traits.title.join(' '),
    now: new Date(world.clock.nowMs()).toISOString(),
    waiting: book.letters.length,
    counts: book.counts,
    devicemaker: device === null ? null : devicemakerTruth(world, device),
    activitynet: athlete === undefined ? null : activitynetTruth(world, athlete),
  };
}
