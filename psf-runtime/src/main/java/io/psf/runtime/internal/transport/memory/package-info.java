/**
 * The transport within a JVM. Imports {@code transport}.
 */
@NullMarked
package io.psf.runtime.internal.transport.memory;

import org.jspecify.annotations.NullMarked;
