import { loadConfig } from './config.ts';
import { createBroker } from './mixins/broker.ts';
import { gatewayUrl } from './services/api-gateway/api-gateway.service.ts';
import { showFirstData } from './stack/first-data.ts';
import { type Lifetime, live } from './stack/lifetime.ts';
import { leaveWord, notesOn, prepare } from './stack/prepare.ts';
import { loadServices } from './stack/services.ts';
import { startPage } from './stack/start-page.ts';

const say = (line: string) => console.log(line);

/** `npm start`: everything on this machine, in one process, until a signal ends it. */
await live(async ({ signal, started }: Lifetime) => {
  // The page is what a person looks for here; LOG_LEVEL=info tells of every delivery.
  const prepared = await prepare(loadConfig(process.env, { LOG_LEVEL: 'warn' }), say, started);
  const { config, stack, login } = prepared;
  const broker = createBroker({ config, services: await loadServices(config.SERVICES) });
  started(() => broker.stop());
  await broker.start();
  const url = gatewayUrl(broker);
  leaveWord(prepared, url);
  const example = await showFirstData({ broker, config, url, dataDir: stack.dataDir, say, signal });
  const notes = notesOn(config);
  say(startPage({ url, choice: stack.choice, dataDir: stack.dataDir, login, notes, example }));
});
