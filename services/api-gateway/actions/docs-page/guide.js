// The page of a guide, which is complete without this: the search, the key and the code blocks.
import { connectCode, fillCode } from './code.js';
import { connectCredential } from './credential.js';
import { keptCredential } from './kept-credential.js';
import { connectSearch } from './search.js';

connectSearch();
connectCode();
const place = {
  ...keptCredential,
  keep(credential) {
    keptCredential.keep(credential);
    fillCode();
  },
  forget() {
    keptCredential.forget();
    fillCode();
  },
};
const { show } = connectCredential(place, () => {});
const renew = () => {
  show();
  fillCode();
};
// Another tab, or the page that one comes back from, may have changed what is kept.
addEventListener('storage', renew);
addEventListener('pageshow', ({ persisted }) => persisted && renew());
