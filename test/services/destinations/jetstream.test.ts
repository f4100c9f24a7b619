import t from 'tap';
import { startJetstream } from '../../support/servers/jetstream.ts';
import { checkCopy } from './scenario.ts';
import { startDestinations } from './setting.ts';
import { rowsInStream } from './stream-rows.ts';

const server = await startJetstream(t);
const s = await startDestinations(t, { DESTINATION_HOSTS: server.host }, { pace: { rowsPerCommit: 100 } });

t.test('a consumer of the stream has the rows of the database', async (t) => {
  await server.addStream({});
  await checkCopy(t, s, {
    ...{ kind: 'jetstream', settings: server.settings, proof: 'messages_deleted' },
    rows: () => rowsInStream(server, 'HEALTH'),
    // The message that a user is deleted names the user too.
    traces: async (user) =>
      (await server.messages('HEALTH')).filter(
        ({ subject, text }) => text.includes(user) && !subject.endsWith('.erased'),
      ).length,
  });
});
