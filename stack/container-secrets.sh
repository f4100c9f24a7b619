#!/bin/sh
# Makes the secrets of a composed set-up that are not there yet, once: the volume keeps them. Put your own files
# of these names into the volume to use others.
set -eu
umask 277
for name in DATABASE_PASSWORD BUS_PASSWORD JWT_SECRET ENCRYPTION_KEY ADMIN_PASSWORD; do
  [ -s "/run/secrets/$name" ] && continue
  node -e 'process.stdout.write(require("node:crypto").randomBytes(32).toString("hex"))' >"/run/secrets/$name.new"
  mv "/run/secrets/$name.new" "/run/secrets/$name"
done
