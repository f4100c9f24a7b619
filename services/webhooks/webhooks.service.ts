import { webhooks } from '../../contracts/webhooks.ts';
import { ServiceError } from '../../domain/errors.ts';
import { cipherOf } from '../../mixins/cipher.ts';
import { database } from '../../mixins/database.ts';
import type { Environment } from '../../runtime/environment.ts';
import { implement } from '../../runtime/implement.ts';
import { forgetUser } from './queries/forget-user.ts';

const notYet = () => {
  throw new ServiceError('NOT_IMPLEMENTED');
};

/** The change log for applications: its publication, the endpoints that it is sent to, and the feed. */
export default implement(webhooks, {
  uses: {
    database: database(),
    cipher: { start: async ({ config }: Environment) => cipherOf(config), stop: async () => undefined },
  },
  actions: {
    createEndpoint: notYet,
    listEndpoints: notYet,
    getEndpoint: notYet,
    updateEndpoint: notYet,
    removeEndpoint: notYet,
    rotateSecret: notYet,
    testEndpoint: notYet,
    messages: notYet,
    resendMessage: notYet,
    recoverMessages: notYet,
    replayMessages: notYet,
    changes: notYet,
    async forgetUser({ database, params }) {
      return { forgotten: await forgetUser(database, params.user_id) };
    },
  },
});
