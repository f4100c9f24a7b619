import { useEffect, useState } from 'preact/hooks';
import { isExpired, themeOf, userOfToken } from '../embed.ts';
import { Day } from '../parts/day/day.tsx';
import { Loaded } from '../parts/states.tsx';
import { useRepeated, useResource } from '../resource.ts';
import { location } from '../router.tsx';
import { newestZone, UserZone } from '../user-zone.ts';

const renewedMs = 60_000;

/** The days of one user within a page of somebody else. It reads only what its token may, and is renewed every minute. */
export function Embed({ token }: { token: string }) {
  const { id: userId, zone: set } = userOfToken(token);
  const [version, setVersion] = useState(0);
  const theme = themeOf(location.value.query);
  const zone = useResource(userId, async (signal) => ({
    known: set ?? (await newestZone(userId, signal)),
  }));
  useRepeated(renewedMs, () => setVersion((last) => last + 1));
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    document.title = 'Health data by day';
  }, [theme]);
  return (
    <main class="embed">
      <h1 class="hidden">Health data by day</h1>
      {isExpired.value ? (
        <p class="state" role="alert">
          This view has expired. Reload the page that contains it.
        </p>
      ) : (
        <Loaded of={zone} what="day">
          {({ known }) => (
            <UserZone.Provider value={known}>
              <Day userId={userId} version={version} />
            </UserZone.Provider>
          )}
        </Loaded>
      )}
    </main>
  );
}
