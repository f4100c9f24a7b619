import { z } from 'zod';

/** Where requests go; whole requests as bytes, sent in turn, from the first. */
const Target = z.object({
  host: z.string(),
  port: z.int(),
  requests: z.array(z.instanceof(Uint8Array)).min(1),
});

/** Requests over several keep-alive connections, each one at a time, until the time or the number is up. */
export const Flood = z.object({
  kind: z.literal('flood'),
  target: Target,
  connections: z.int().min(1).max(256),
  most_requests: z.int().min(1).max(10_000_000),
  most_ms: z.number().min(1).max(300_000),
});

/** One request at a time, to each target in turn: whatever else the machine does meets all of them alike. */
export const Turns = z.object({
  kind: z.literal('turns'),
  targets: z.array(Target).min(1).max(10),
  times: z.int().min(1).max(100_000),
});

/** What came of a flood; `failures` counts answers with another status than 200. */
export const Flooded = z.object({
  requests: z.int(),
  failures: z.int(),
  seconds: z.number(),
  median_ms: z.number(),
  p99_ms: z.number(),
});

/** What came of the turns: the median time of an answer of each target. */
export const Turned = z.object({ failures: z.int(), medians_ms: z.array(z.number()) });

/** What the process that sends load is asked for. */
export const Job = z.discriminatedUnion('kind', [Flood, Turns]);

export type Target = z.infer<typeof Target>;
export type Flood = z.infer<typeof Flood>;
export type Turns = z.infer<typeof Turns>;
export type Flooded = z.infer<typeof Flooded>;
export type Turned = z.infer<typeof Turned>;
