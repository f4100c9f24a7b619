/** Data of a release whose steps this release does not have. `data` names it, with an article. It is printed without a stack trace. */
export class OlderRelease extends Error {
  override readonly name = 'OlderRelease';
  constructor(data: string) {
    super(
      `${data} was made by a release before 0.3.0. Start release 0.3.0 with it once, which reads it; then start this release.`,
    );
  }
}
