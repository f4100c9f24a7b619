// A process of the services that an import needs, for a test that kills it: its settings come as JSON in the first argument.
import { loadConfig } from '../../../config.ts';
import { createBroker } from '../../../runtime/broker.ts';
import { loadServices } from '../../../stack/processes/services.ts';

const config = loadConfig(JSON.parse(process.argv[2] ?? ''));
const services = await loadServices(['file-import', 'timeseries', 'users']);
const broker = createBroker({ config, nodeID: `child-${process.pid}`, services });
await broker.start();
