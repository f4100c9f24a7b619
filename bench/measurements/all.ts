import type { Measurement } from '../measurement.ts';
import { activitynet } from './activitynet.ts';
import { browser } from './browser.ts';
import { checks } from './checks.ts';
import { commits, stores } from './commits.ts';
import { compression } from './compression.ts';
import { deadDestinations } from './dead-destinations.ts';
import { destinations } from './destinations.ts';
import { exports, streams } from './exports.ts';
import { fhir } from './fhir.ts';
import { files } from './files.ts';
import { frames } from './frames.ts';
import { freshness } from './freshness.ts';
import { hostileDestinations } from './hostile-destinations.ts';
import { bodies, changelog, ingest } from './incoming.ts';
import { insights } from './insights.ts';
import { growth, million, users } from './lists.ts';
import { logIns } from './log-ins.ts';
import { backfill, endpoints, webhooks } from './outgoing.ts';
import { intervals, uploads } from './phones.ts';
import { figures, pages, processes, workers } from './rates.ts';
import { activity, counts, depth, hertz, ranges } from './reads.ts';
import { replica } from './replica.ts';
import { disk, memory } from './resources.ts';
import { scale } from './scale.ts';

/** All measurements in the order of a run. `memory` follows the reads, whose peak it has. */
export const measurements: readonly Measurement[] = [
  checks,
  pages,
  ranges,
  depth,
  counts,
  hertz,
  activity,
  users,
  processes,
  workers,
  memory,
  exports,
  disk,
  growth,
  browser,
  frames,
  ingest,
  intervals,
  uploads,
  files,
  streams,
  activitynet,
  changelog,
  webhooks,
  endpoints,
  backfill,
  bodies,
  freshness,
  insights,
  fhir,
  destinations,
  deadDestinations,
  hostileDestinations,
  compression,
  commits,
  stores,
  logIns,
  figures,
  million,
  replica,
  scale,
];
