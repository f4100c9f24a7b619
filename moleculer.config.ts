import { loadConfig } from './config.ts';
import { brokerOptions } from './runtime/broker.ts';

/** For moleculer-runner: one process of chosen services, settings from the environment. */
export default brokerOptions(loadConfig());
