import nock from 'nock';
import type { Test } from 'tap';

/**
 * Until the end of `t`, requests go to the mocks of nock, and to this machine. Files that run one after another in a
 * process share nock: a file that had ended it would leave the next one without mocks.
 */
export function mockRequests(t: Test): void {
  if (!nock.isActive()) nock.activate();
  nock.disableNetConnect();
  nock.enableNetConnect('127.0.0.1');
  t.teardown(() => {
    nock.cleanAll();
    nock.enableNetConnect();
    nock.restore();
  });
}
