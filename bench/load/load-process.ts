// Sends load from a process of its own, so that it does not share an event loop with what it measures.
import { answerParent } from '../parent.ts';
import { Job } from './job.ts';
import { flood, takeTurns } from './send.ts';

answerParent(
  (request) => {
    const job = Job.parse(request);
    return job.kind === 'flood' ? flood(job) : takeTurns(job);
  },
  async () => undefined,
);
