/**
 * From a model to source. Imports {@code model}, {@code io.psf.api} and JavaPoet, and nothing of the compiler beyond
 * {@link javax.lang.model.element.Modifier} and {@link javax.lang.model.SourceVersion}.
 */
@NullMarked
package io.psf.processor.emit;

import org.jspecify.annotations.NullMarked;
