/**
 * Functions that users of parameter servers have written by hand, each whole in one file. {@code docs/compared.md} counts
 * their lines. They import psf-api alone.
 */
@NullMarked
package io.psf.examples.functions;

import org.jspecify.annotations.NullMarked;
