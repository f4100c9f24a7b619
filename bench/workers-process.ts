// Runs several workers of the product, as `npm start` does with WORKERS, in processes of the bench.
import { loadConfig } from '../config.ts';
import { startWorkers } from '../stack/processes/workers.ts';
import { answerParent } from './parent.ts';

const stops: (() => Promise<unknown>)[] = [];
const url = await startWorkers({
  config: loadConfig(),
  environment: process.env,
  started: (stop) => void stops.push(stop),
  say: (line) => console.error(line),
});
answerParent({ url: () => url }, async () => {
  for (const stop of stops.reverse()) await stop();
});
