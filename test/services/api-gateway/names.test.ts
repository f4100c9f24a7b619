import t from 'tap';
import { z } from 'zod';
import { type HttpRoute, Nothing } from '../../../domain/contract.ts';
import type { Endpoint } from '../../../services/api-gateway/rules/endpoints.ts';
import { readFields } from '../../../services/api-gateway/work/parameters.ts';

const Failure = z.object({ data: z.object({ errors: z.array(z.object({ field: z.string() })) }) });

function endpointOf(params: z.ZodType): Endpoint {
  const route: HttpRoute = {
    method: 'POST',
    path: '/things/:thing_id',
    access: 'credentials',
    tag: 'Things',
  };
  return { action: 'things.make', route, definition: { summary: 'Make', params, returns: Nothing } };
}

function unknownIn(params: z.ZodType, body: Record<string, unknown>): string[] {
  try {
    readFields(endpointOf(params), body);
    return [];
  } catch (error) {
    return Failure.parse(error).data.errors.map(({ field }) => field);
  }
}

t.test('unknown fields inside of objects and lists are named with their path', async (t) => {
  const Point = z.object({ x: z.number(), y: z.number() });
  const params = z.object({
    thing_id: z.string(),
    at: Point,
    maybe: Point.nullable(),
    path: z.array(Point),
    labels: z.record(z.string(), z.string()),
    anything: z.looseObject({ kind: z.string() }),
  });
  t.same(
    unknownIn(params, {
      at: { x: 1, z: 2 },
      maybe: { w: 1 },
      path: [{ x: 1 }, { q: 1 }],
      labels: { whatever: 'a' },
      anything: { kind: 'a', other: 1 },
      more: 1,
    }),
    ['at.z', 'maybe.w', 'path.1.q', 'more'],
  );
  t.same(
    unknownIn(params, { at: [{ z: 1 }], maybe: null, path: { x: 1 }, labels: [] }),
    [],
    'of another kind',
  );
});
