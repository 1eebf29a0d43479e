/**
 * {@code KVStore}, the verbs of MXNet, and its functions that no other function covers: compressed pushes, and commands
 * to servers. Imports psf-api and psf-builtin.
 */
@NullMarked
package io.psf.kvstore;

import org.jspecify.annotations.NullMarked;
