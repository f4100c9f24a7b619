// Sends load from a separate process, so that it does not share an event loop with the measured one.
import { answerParent } from '../parent.ts';
import { AnyLoadRequest } from './load-request.ts';
import { sendAlternating, sendLoad } from './send-load.ts';

answerParent(
  (request) => {
    const job = AnyLoadRequest.parse(request);
    return job.kind === 'parallel' ? sendLoad(job) : sendAlternating(job);
  },
  async () => undefined,
);
