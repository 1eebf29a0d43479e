/**
 * The content of a slice as a stream of bytes, an image: rows, slots, attachments and totals, and for a slice that
 * moves also its open rounds and the answers that its server keeps (docs/checkpoint.md). Knows no files. Imports
 * psf-api and the packages {@code push} and {@code optimizer}.
 */
@NullMarked
package io.psf.builtin.image;

import org.jspecify.annotations.NullMarked;
