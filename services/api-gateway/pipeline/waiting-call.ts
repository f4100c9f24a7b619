import type { Exchange, Pipeline } from './exchange.ts';

/** The time for which one call waits: a client that went away, or a stop of the gateway, is noticed after it. */
const partSeconds = 2;

type Params = Record<string, unknown>;

/**
 * Calls the action of a request. One that waits for data is called in parts, until an answer has data or the time of the
 * request has passed.
 */
export async function callWaiting(
  pipeline: Pick<Pipeline, 'isStopping'>,
  { endpoint: { route, definition }, res }: Pick<Exchange, 'endpoint' | 'res'>,
  params: Params,
  call: (params: Params) => Promise<unknown>,
): Promise<unknown> {
  const name = route.waits;
  if (name === undefined) return call(params);
  const seconds = Number(params[name] ?? 0);
  // The action refuses wrong parameters.
  if (!(seconds > partSeconds) || !definition.params.safeParse(params).success) return call(params);
  for (let left = seconds; ; left -= partSeconds) {
    const answer = await call({ ...params, [name]: Math.min(left, partSeconds) });
    if (hasData(answer) || left <= partSeconds || res.closed || pipeline.isStopping()) return answer;
  }
}

function hasData(answer: unknown): boolean {
  const data: unknown = Reflect.get(Object(answer), 'data');
  return !Array.isArray(data) || data.length > 0;
}
