import type { SeriesType } from '../domain/series.ts';
import type { Detailed } from './activitynet/activities.ts';
import {
  type ActivitynetTruth,
  activitiesTold,
  activitynetTruth,
  addAthleteSamples,
} from './activitynet/truth.ts';
import { accountOf } from './devicemaker/accounts.ts';
import { addDeviceSamples, type DevicemakerTruth, devicemakerTruth } from './devicemaker/truth.ts';
import { noValues, type ValuedSeries } from './truth/series.ts';
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

/** The samples that an application should have of somebody, by provider; of one type, where it is given. */
export function samplesOf(
  world: World,
  index: number,
  only: SeriesType | null,
): readonly (ValuedSeries & { readonly provider: string })[] {
  const device = accountOf(world, world.person(index).account_id);
  const athlete = world.store.book.activitynet_accounts.find((one) => one.person === index);
  const [own, told] = [noValues(only), noValues(only)];
  if (device !== null) addDeviceSamples(own, world, device);
  if (athlete !== undefined) addAthleteSamples(told, world, athlete);
  return [
    ...own.list().map((one) => ({ provider: 'devicemaker', ...one })),
    ...told.list().map((one) => ({ provider: 'activitynet', ...one })),
  ];
}

/** Somebody's activities as the activity platform tells them. */
export function activitiesOf(world: World, index: number): readonly Detailed[] {
  const athlete = world.store.book.activitynet_accounts.find((one) => one.person === index);
  return athlete === undefined ? [] : activitiesTold(world, athlete);
}
