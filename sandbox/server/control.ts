import { z } from 'zod';
import { isSeriesType } from '../../domain/records/series.ts';
import { isoTime } from '../../domain/time/time.ts';
import { simulations } from '../all.ts';
import { expectedDataOf, samplesOf } from '../simulation/expected-data.ts';
import type { Provider } from '../simulation/simulation.ts';
import type { World } from '../simulation/world.ts';
import { FaultRequest } from './faults.ts';
import { type HttpRequest, ok, type Reply, type Route, refused, route, withBody } from './http.ts';
import { tablePage } from './page.ts';
import { State } from './store.ts';
import { answerForUser, userIndexes } from './user-choice.ts';

/** The control routes: faults, the clock, the application's settings, users, and the expected data (/ledger). */
export function controlRoutes(world: World, providers: readonly Provider[]): Route[] {
  const expected = (index: number) => expectedDataOf(world, providers, index);
  return [
    route('GET', '/', () => page(world, providers)),
    route('GET', '/people', () => ok(userIndexes(world).map((index) => shownUser(world, providers, index)))),
    route('GET', '/ledger', ({ query }) => answerForUser(world, query.get('person'), expected)),
    route('GET', '/ledger/samples', (request) => samples(world, providers, request)),
    route('GET', '/application', () => ok(world.store.state.application)),
    route('PUT', '/application', (request) => configure(world, request)),
    ...faultRoutes(world),
    ...clockRoutes(world),
  ];
}

function shownUser({ user }: World, providers: readonly Provider[], index: number) {
  const { title, zone, device } = user(index).traits;
  return {
    person: index + 1,
    title: title.join(' '),
    zone,
    device,
    ...Object.fromEntries(providers.map(({ name, account }) => [name, account(index)?.shown ?? null])),
  };
}

function samples(world: World, providers: readonly Provider[], { query }: HttpRequest): Reply {
  const type = query.get('type');
  if (type !== null && !isSeriesType(type)) return refused('type: must be a series type');
  return answerForUser(world, query.get('person'), (index) => samplesOf(providers, index, type));
}

/** The application's settings for notifications: the shared ones and those of all providers. */
export const Application = simulations.reduce<z.ZodObject<z.ZodRawShape>>(
  (all, { application }) => all.extend(application.shape),
  State.shape.application.strip(),
);

function configure(world: World, request: HttpRequest): Reply | Promise<Reply> {
  return withBody(Application.partial(), request, (wish) => {
    const { state, save } = world.store;
    const given = Object.entries(wish).filter(([, value]) => value !== undefined);
    state.application = { ...state.application, ...Object.fromEntries(given) };
    save();
    world.clock.at(world.clock.nowMs(), world.outbox.pump);
    return ok(state.application);
  });
}

const Wish = FaultRequest.extend({
  provider: z
    .enum(simulations.map(({ name }) => name))
    .nullable()
    .default(null),
});

function faultRoutes({ faults }: World): Route[] {
  return [
    route('GET', '/faults', () => ok(faults.list())),
    route('POST', '/faults', (request) =>
      withBody(Wish, request, (wish) => ({ status: 201, json: faults.add(wish) })),
    ),
    route('DELETE', '/faults', () => ok({ removed: faults.remove(null) })),
    route('DELETE', '/faults/:id', ({ params }) =>
      faults.remove(Number(params.id)) === 0 ? refused('There is no such fault.', 404) : ok({ removed: 1 }),
    ),
  ];
}

/** Receivers refuse data that is more than a day in the future. */
const aheadMostMs = 20 * 3_600_000;
const Turn = z.strictObject({
  advance_seconds: z
    .number()
    .min(0)
    .max(31 * 86_400),
});

function clockRoutes({ clock }: World): Route[] {
  const shown = () => ({ now: isoTime(clock.nowMs()) });
  return [
    route('GET', '/clock', () => ok(shown())),
    route('POST', '/clock', (request) =>
      withBody(Turn, request, async ({ advance_seconds }) => {
        if (clock.nowMs() + advance_seconds * 1000 > Date.now() + aheadMostMs)
          return refused('The clock cannot be more than 20 hours ahead.', 409);
        await clock.advance(advance_seconds * 1000);
        return ok(shown());
      }),
    ),
  ];
}

function page(world: World, providers: readonly Provider[]): Reply {
  const rows = userIndexes(world).map((index) => {
    const { title, zone } = world.user(index).traits;
    const linked = providers.map(({ account }) => (account(index)?.shown.connected ? 'connected' : ''));
    return [String(index + 1), title.join(' '), zone, ...linked];
  });
  const intro = `${providers.length} simulated providers. Their clock shows ${isoTime(world.clock.nowMs())}. GET /people, /ledger?person=1, /faults, /application, /clock.`;
  const head = ['', 'User', 'Zone', ...providers.map(({ title }) => title)];
  return { status: 200, html: tablePage('Sandbox', intro, head, rows) };
}
