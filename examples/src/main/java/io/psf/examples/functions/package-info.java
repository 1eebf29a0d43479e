/**
 * Functions that users of other parameter servers have written by hand, each complete in one file.
 * {@code docs/compared.md} counts their lines. They import psf-api only.
 */
@NullMarked
package io.psf.examples.functions;

import org.jspecify.annotations.NullMarked;
