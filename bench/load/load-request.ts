import { z } from 'zod';

/** The server and the requests, as bytes, which are sent in turn. */
const Target = z.object({
  host: z.string(),
  port: z.int(),
  requests: z.array(z.instanceof(Uint8Array)).min(1),
});

/** Requests over several keep-alive connections, one at a time per connection, until a time or number is reached. */
export const LoadRequest = z.object({
  target: Target,
  connections: z.int().min(1).max(256),
  most_requests: z.int().min(1).max(10_000_000),
  most_ms: z.number().min(1).max(300_000),
});

/** One request at a time, alternating between targets, so that other load of the machine affects all alike. */
export const AlternatingRequest = z.object({
  targets: z.array(Target).min(1).max(10),
  times: z.int().min(1).max(100_000),
});

/** The result of a load; `failures` counts answers with another status than 200. */
export const LoadResult = z.object({
  requests: z.int(),
  failures: z.int(),
  seconds: z.number(),
  median_ms: z.number(),
  p99_ms: z.number(),
});

/** The result of alternating requests: the median response time of each target. */
export const AlternatingResult = z.object({ failures: z.int(), medians_ms: z.array(z.number()) });

export type Target = z.infer<typeof Target>;
export type LoadRequest = z.infer<typeof LoadRequest>;
export type AlternatingRequest = z.infer<typeof AlternatingRequest>;
export type LoadResult = z.infer<typeof LoadResult>;
export type AlternatingResult = z.infer<typeof AlternatingResult>;
