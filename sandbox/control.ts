import { z } from 'zod';
import { isSeriesType } from '../domain/series.ts';
import { decisionRoutes } from './decisions.ts';
import { accountOf } from './devicemaker/accounts.ts';
import { dataTypes } from './devicemaker/payloads.ts';
import { itemsSent } from './devicemaker/truth.ts';
import { FaultWish } from './faults.ts';
import { type Ask, ok, type Reply, type Route, refused, withBody } from './http.ts';
import { activitiesOf, ledgerOf, samplesOf } from './ledger.ts';
import { tablePage } from './page.ts';
import { peopleIn, personOfChoice } from './person-choice.ts';
import { Application } from './store.ts';
import type { World } from './world.ts';

/** What stands beside the two providers: troubles, the clock, people's own decisions, and the truth. */
export function controlRoutes(world: World): Route[] {
  return [
    { method: 'GET', path: '/', handle: () => page(world) },
    {
      method: 'GET',
      path: '/people',
      handle: () => ok(peopleIn(world).map((index) => shownPerson(world, index))),
    },
    {
      method: 'GET',
      path: '/ledger',
      handle: (ask) => ofPerson(world, ask.query.get('person'), (index) => ledgerOf(world, index)),
    },
    { method: 'GET', path: '/ledger/items', handle: (ask) => items(world, ask) },
    { method: 'GET', path: '/ledger/samples', handle: (ask) => samples(world, ask) },
    {
      method: 'GET',
      path: '/ledger/activities',
      handle: (ask) => ofPerson(world, ask.query.get('person'), (index) => activitiesOf(world, index)),
    },
    { method: 'GET', path: '/application', handle: () => ok(world.store.book.application) },
    { method: 'PUT', path: '/application', handle: (ask) => configure(world, ask) },
    ...faultRoutes(world),
    ...clockRoutes(world),
    ...decisionRoutes(world),
  ];
}

function ofPerson(world: World, choice: string | null, serve: (index: number) => unknown): Reply {
  const index = choice === 'new' ? null : personOfChoice(world, choice ?? '');
  return index === null
    ? refused('There is no such person: give the number that /people tells.', 404)
    : ok(serve(index));
}

function shownPerson(world: World, index: number) {
  const { traits, account_id } = world.person(index);
  const device = accountOf(world, account_id);
  const athlete = world.store.book.activitynet_accounts.find(({ person }) => person === index);
  return {
    person: index + 1,
    title: traits.title.join(' '),
    zone: traits.zone,
    device: traits.device,
    devicemaker:
      device === null ? null : { account_id, registered: device.registered, permissions: device.permissions },
    activitynet:
      athlete === undefined ? null : { athlete_id: athlete.athlete_id, authorized: athlete.authorized },
  };
}

function items(world: World, { query }: Ask): Reply {
  const type = dataTypes.find((one) => one === query.get('type'));
  if (type === undefined) return refused(`type: must be one of ${dataTypes.join(', ')}`);
  return ofPerson(world, query.get('person'), (index) => {
    const account = accountOf(world, world.person(index).account_id);
    return account === null ? [] : itemsSent(world, account, type);
  });
}

function samples(world: World, { query }: Ask): Reply {
  const type = query.get('type');
  if (type !== null && !isSeriesType(type)) return refused('type: must be a series type');
  return ofPerson(world, query.get('person'), (index) => samplesOf(world, index, type));
}

function configure(world: World, ask: Ask): Reply | Promise<Reply> {
  return withBody(Application.partial(), ask, (wish) => {
    const { book } = world.store;
    const given = Object.entries(wish).filter(([, value]) => value !== undefined);
    book.application = { ...book.application, ...Object.fromEntries(given) };
    world.store.save();
    world.clock.at(world.clock.nowMs(), world.outbox.pump);
    return ok(book.application);
  });
}

function faultRoutes({ faults }: World): Route[] {
  return [
    { method: 'GET', path: '/faults', handle: () => ok(faults.list()) },
    {
      method: 'POST',
      path: '/faults',
      handle: (ask) => withBody(FaultWish, ask, (wish) => ({ status: 201, json: faults.add(wish) })),
    },
    { method: 'DELETE', path: '/faults', handle: () => ok({ removed: faults.remove(null) }) },
    {
      method: 'DELETE',
      path: '/faults/:id',
      handle: ({ params }) =>
        faults.remove(Number(params.id)) === 0 ? refused('There is no such fault.', 404) : ok({ removed: 1 }),
    },
  ];
}

/** Whoever receives the data refuses what is more than a day ahead of their clock. */
const aheadMostMs = 20 * 3_600_000;
const Turn = z.strictObject({
  advance_seconds: z
    .number()
    .min(0)
    .max(31 * 86_400),
});

function clockRoutes({ clock }: World): Route[] {
  const shown = () => ({ now: new Date(clock.nowMs()).toISOString() });
  return [
    { method: 'GET', path: '/clock', handle: () => ok(shown()) },
    {
      method: 'POST',
      path: '/clock',
      handle: (ask) =>
        withBody(Turn, ask, async ({ advance_seconds }) => {
          if (clock.nowMs() + advance_seconds * 1000 > Date.now() + aheadMostMs)
            return refused('The clock cannot be more than 20 hours ahead.', 409);
          await clock.turn(advance_seconds * 1000);
          return ok(shown());
        }),
    },
  ];
}

function page(world: World): Reply {
  const rows = peopleIn(world).map((index) => {
    const { person, title, zone, devicemaker, activitynet } = shownPerson(world, index);
    const isLinked = (linked: boolean | undefined) => (linked === true ? 'connected' : '');
    return [
      String(person),
      title,
      zone,
      isLinked(devicemaker?.registered),
      isLinked(activitynet?.authorized),
    ];
  });
  const intro = `Two providers, simulated. Their clock shows ${new Date(world.clock.nowMs()).toISOString()}. GET /people, /ledger?person=1, /faults, /application, /clock.`;
  const head = ['', 'Person', 'Zone', 'Device maker', 'Activity platform'];
  return { status: 200, html: tablePage('Sandbox', intro, head, rows) };
}
