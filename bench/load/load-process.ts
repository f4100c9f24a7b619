// Sends load from a separate process, so that it does not share an event loop with the measured one.
import { answerParent } from '../parent.ts';
import { AlternatingRequest, LoadRequest } from './load-request.ts';
import { sendAlternating, sendLoad } from './send-load.ts';

answerParent(
  {
    parallel: (request) => sendLoad(LoadRequest.parse(request)),
    alternating: (request) => sendAlternating(AlternatingRequest.parse(request)),
  },
  () => undefined,
);
