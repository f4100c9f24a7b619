drop table auth.passkey_challenge;
drop table auth.passkey;
