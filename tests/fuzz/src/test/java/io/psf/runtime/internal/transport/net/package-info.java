/** Fuzz tests of classes that this package does not export: frames of a hostile peer. */
@NullMarked
package io.psf.runtime.internal.transport.net;

import org.jspecify.annotations.NullMarked;
