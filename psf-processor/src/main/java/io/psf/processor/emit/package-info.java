/**
 * Generates source from a model. Imports {@code model}, {@code io.psf.api} and JavaPoet. Of the compiler's packages,
 * imports only {@link javax.lang.model.element.Modifier} and {@link javax.lang.model.SourceVersion}.
 */
@NullMarked
package io.psf.processor.emit;

import org.jspecify.annotations.NullMarked;
