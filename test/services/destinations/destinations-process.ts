// One process of destinations of its own, for a test that kills it: settings and pace come as JSON in the first argument. It writes a line
// when it has started.
import { loadConfig } from '../../../config.ts';
import { createBroker } from '../../../runtime/broker.ts';
import { destinationsService } from '../../../services/destinations/destinations.service.ts';

const { settings, pace } = JSON.parse(process.argv[2] ?? '');
const services = [destinationsService({ pace })];
const broker = createBroker({ config: loadConfig(settings), nodeID: `child-${process.pid}`, services });
await broker.start();
process.stdout.write('started\n');
