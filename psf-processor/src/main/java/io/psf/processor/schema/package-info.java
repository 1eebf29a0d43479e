/**
 * The committed texts of schemas, and what peers of their versions can no longer read. Imports {@code model}, the
 * problems of {@code read}, and the compiler's model of the language.
 */
@NullMarked
package io.psf.processor.schema;

import org.jspecify.annotations.NullMarked;
