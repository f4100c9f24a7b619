const mebibyte = 1024 * 1024;
/** The process itself with a body in its memory. */
const besideMb = 384;
const leastMb = 64;

/**
 * The heap limit of a thread in MB: the wanted one, or its share of what the container leaves beside the process. A thread beyond
 * its limit ends; a process beyond that of its container is killed with all that it works on.
 */
export function threadHeapMb(
  wantedMb: number,
  {
    atOnce = 1,
    containerBytes = process.constrainedMemory(),
  }: { atOnce?: number; containerBytes?: number } = {},
): number {
  // 0, or more than there is: the container has no limit.
  if (containerBytes === 0) return wantedMb;
  const shareMb = Math.floor((containerBytes / mebibyte - besideMb) / atOnce);
  return Math.max(leastMb, Math.min(wantedMb, shareMb));
}
