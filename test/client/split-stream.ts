/** The bytes of a text, one at a time, so that parts share characters. `ended` tells whether the reader ended it early. */
export function splitStream(text: string, ended?: () => void): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.subarray(at, at + 1));
      else controller.close();
      at += 1;
    },
    cancel: () => ended?.(),
  });
}
