/**
 * Generates source from a model. {@link io.psf.processor.emit.Emitter} is the seam: an emitter takes a model, which has
 * no notion of a language, and writes sources to an {@link io.psf.processor.emit.Output}.
 * {@link io.psf.processor.emit.JavaEmitter} writes classes, {@link io.psf.processor.emit.PythonEmitter} the typed
 * functions of Python, which are called through schemas. Stubs in a language without a library that reads schemas are
 * written by another emitter of the same models. Such an emitter requires four parts of the model:
 *
 * <ul>
 *   <li>the number of the function's name, which {@code io.psf.api.Names} computes, and the texts of its schemas;
 *   <li>the types of the components, in the order in which a tuple has them;
 *   <li>the version that added each component, which defines the sections of a tuple;
 *   <li>the layouts, which define the partition of the request and the merge of the answers.
 * </ul>
 *
 * <p>Imports {@code model}, {@code io.psf.api} and JavaPoet. Of the compiler's packages, imports only
 * {@link javax.lang.model.element.Modifier} and {@link javax.lang.model.SourceVersion}.
 */
@NullMarked
package io.psf.processor.emit;

import org.jspecify.annotations.NullMarked;
