// `npm run repl`: a Moleculer console on the bus of what `npm start` runs. Try: deliveries, call users.list, help
import { loadConfig } from '../../config.ts';
import { callAs, typedCall } from '../../runtime/environment.ts';
import { messageForOperator } from '../machine/start-error.ts';
import { brokerOnBus } from '../processes/join-bus.ts';
import { serviceNames } from '../processes/services.ts';
import { type Command, commands, sentenceOf } from './repl-commands.ts';

const discoveryMs = 2000;

const broker = await brokerOnBus(loadConfig(), 'repl').catch((error: unknown) => {
  console.error(messageForOperator(error) ?? String(error));
  process.exit(1);
});
const running = new Set<Promise<void>>();
// The end of a piped input ends the console after pending commands are answered.
broker.middlewares.add({ name: 'answers', stopping: async () => void (await Promise.all(running)) });
broker.options.replOptions = { customCommands: commands.map(customCommand) };
await broker.start();
await broker.waitForServices([...serviceNames], discoveryMs).catch(() => undefined); // continues with the services that are there
broker.repl();

function customCommand({ command, description, run }: Command) {
  return {
    command,
    description,
    async action(_broker: unknown, given: unknown) {
      const answer = run(callAs(typedCall(broker), 'system:repl'), given)
        .catch((error: unknown) => [sentenceOf(error)])
        .then((lines) => console.log(lines.join('\n')))
        .finally(() => running.delete(answer));
      running.add(answer);
      await answer;
    },
  };
}
