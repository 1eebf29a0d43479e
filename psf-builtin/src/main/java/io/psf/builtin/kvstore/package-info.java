/**
 * The functions of {@code KVStore} that no other function covers: compressed pushes, optimizer states, commands to
 * servers. Imports psf-api, {@code push} and {@code optimizer}.
 */
@NullMarked
package io.psf.builtin.kvstore;

import org.jspecify.annotations.NullMarked;
