/**
 * The functions of {@code KVStore} that no other function covers: first values, compressed pushes, commands to servers.
 */
@NullMarked
package io.psf.builtin.kvstore;

import org.jspecify.annotations.NullMarked;
