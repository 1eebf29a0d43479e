/**
 * Functions that save and load tensors, and the files that they write (docs/checkpoint.md). Imports psf-api and the
 * packages {@code image}, {@code push} and {@code optimizer}.
 *
 * <p>The nouns: a <i>checkpoint</i> is what was saved under one name, a tensor by itself or a model at a step. A
 * <i>manifest</i> is the text that says what it has. An <i>image</i> is the content of one slice, alone in a file or in
 * a <i>pack</i> with others; the <i>chain</i> of a slice is an image with all rows and the increments that build on it.
 * An <i>index</i> is the list of the images that one server has saved of a model. A <i>folder</i> has the files of a
 * checkpoint.
 */
@NullMarked
package io.psf.builtin.internal.checkpoint;

import org.jspecify.annotations.NullMarked;
